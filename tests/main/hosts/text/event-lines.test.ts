import { expect, it } from 'vitest';
import type { EventOf } from '@shared/events/events.ts';
import { createEventLines } from '../../../../src/main/hosts/text/event-lines.ts';
import { createEventUpdates } from '../../../../src/main/hosts/acp/event-updates.ts';
import { safeWriting } from '../../../../src/main/hosts/text/terminal.ts';

const changed = (by: EventOf<'file-changed'>['by'], toolCallId: string | null): EventOf<'file-changed'> => ({
  v: 2,
  seq: 9,
  at: 0,
  type: 'file-changed',
  path: 'a.py',
  before: null,
  after: { kept: false, why: 'too-large' },
  by,
  toolCallId,
  added: 1,
  removed: 0,
  undoes: [],
});

const plain = {
  ...safeWriting({ out: () => undefined, err: () => undefined }, false),
  isLive: false,
  isInteractive: false,
  columns: 80,
};

const ended = (timings: EventOf<'model-call-ended'>['timings']): EventOf<'model-call-ended'> => ({
  v: 2,
  seq: 9,
  at: 0,
  type: 'model-call-ended',
  callId: 'c1',
  parts: [],
  stopReason: 'stop',
  usage: { freshInput: 0, cacheRead: 859, cacheWrite: 0, output: 73, reasoning: 0, estimated: false },
  evaluatedTokens: 0,
  timings,
  price: { input: 0, output: 0, source: 'local', date: '2026-11-21' },
  costUsd: 0,
  error: null,
});

it('the line of an answer has its tokens, speed, time and cost', () => {
  const timings = { queuedMs: 0, prefillMs: 0, decodeMs: 7300, decodeTokens: 73, totalMs: 7400 };
  const [line] = createEventLines(plain)(ended(timings));
  expect(line).toContain('859 in (859 cached), 73 out  10.0 tok/s  7.4 s  $0');
});

// Bug: each wrong call was told twice, one line below the other.
it('the lines of a wrong call say once what was wrong', () => {
  const lines = createEventLines(plain);
  const notice = { v: 2, seq: 9, at: 0, type: 'notice-added', level: 'info', text: 'No such path.' } as const;
  expect(lines({ ...notice, code: 'bad-call' })).toEqual([]);
  expect(lines({ ...notice, code: 'same-call' })).toEqual(['note: No such path.']);
});

it('the line of a change by a person says so', () => {
  const lines = createEventLines(plain);
  const shown = [changed('model', 't1'), changed('take', null), changed('undo', null), changed('undo', 't2')];
  expect(shown.flatMap(lines)).toEqual([
    '    new a.py  +1 -0',
    '    new a.py  +1 -0  (you took it)',
    '    new a.py  +1 -0  (you undid it)',
    // Bug: a change that a guard took back looked like a second one.
    '    put back a.py  +1 -0',
  ]);
});

it("the line of a program's call is indented under it, with hidden letters written out", () => {
  const lines = createEventLines(plain);
  const base = { v: 2, seq: 9, at: 0, tool: 'read_file', parent: 'p' } as const;
  const started: EventOf<'tool-started'> = {
    ...base,
    type: 'tool-started',
    toolCallId: 't',
    by: 'model',
    input: {},
    label: 'read \u202eyp.a',
  };
  const done: EventOf<'tool-ended'> = {
    ...base,
    type: 'tool-ended',
    toolCallId: 't',
    status: 'ok',
    output: '',
    full: null,
    exitCode: null,
    durationMs: 2,
    data: null,
    dataBlob: null,
  };
  const [line = ''] = [started, done].flatMap(lines);
  expect(line.startsWith('        · read ')).toBe(true);
  expect(line).not.toContain('\u202e');
});

// Catches: a drawing of a file that stays empty outside the window.
it('the lines of a drawn file show the text that the log keeps', async () => {
  const base = { v: 2, seq: 9, at: 0, tool: 'canvas_render', toolCallId: 't' } as const;
  const started: EventOf<'tool-started'> = {
    ...base,
    type: 'tool-started',
    by: 'model',
    input: { kind: 'table', path: 'a.csv' },
    label: 'show table',
  };
  const done: EventOf<'tool-ended'> = {
    ...base,
    type: 'tool-ended',
    status: 'ok',
    output: '',
    full: null,
    exitCode: null,
    durationMs: 2,
    data: { drawn: { kind: 'table', content: 'file,lines\na.ts,3\n' } },
    dataBlob: null,
  };
  const shown = [started, done].flatMap(createEventLines(plain));
  expect(shown.slice(1)).toEqual(['  | file  lines', '  | ────  ─────', '  | a.ts      3']);
  const large = [started, { ...done, data: null }].flatMap(createEventLines(plain));
  expect(large.at(-1)).toBe('  | (a.csv is too long to be shown here. The window shows it.)');
  const updates = createEventUpdates({
    workspace: '/w',
    hasNotices: false,
    isReplay: false,
    imageOf: async () => null,
    detailsOf: async () => [],
    now: () => 0,
  });
  await updates.event(started);
  expect(JSON.stringify(await updates.event(done))).toContain('a.ts      3');
});

// Catches: an agent that was lost with its core, and that a later message reports as "an agent".
it("the line of an agent's end names it, also when its start was not seen", () => {
  const gone: EventOf<'child-session-ended'> = {
    v: 2,
    seq: 9,
    at: 0,
    type: 'child-session-ended',
    sessionId: 'child',
    name: 'agent-2',
    costUsd: 0,
    usage: { freshInput: 0, cacheRead: 0, cacheWrite: 0, output: 0, reasoning: 0, estimated: false },
    reason: 'crashed',
  };
  expect(createEventLines(plain)(gone)).toEqual([expect.stringContaining('agent-2 ended: ')]);
});

// Catches: "allowed by you" below an answer, and "denied" where nobody was there or the suggestion counted.
it.each([
  [{ answer: 'allow', by: 'person', values: { choice: 'CSV' } }, 'answered by you: CSV'],
  [{ answer: 'allow', by: 'person', values: { own: 'a\u001B[2Jb' } }, 'answered by you: a<U+001B>[2Jb'],
  [{ answer: 'allow', by: 'person', values: {} }, 'left open: the task waits for your answer'],
  [{ answer: 'deny', by: 'person' }, 'skipped by you'],
  [{ answer: 'allow', by: 'policy', values: { own: 'CSV' } }, 'no answer, so the suggestion counts: CSV'],
  [{ answer: 'deny', by: 'nobody' }, 'nobody answers here: the task waits for you'],
] as const)("the line of an agent's question says what became of it: %j", (said, text) => {
  const lines = createEventLines(plain);
  const base = { v: 2, seq: 1, at: 0, approvalId: 'q' } as const;
  const asked = { ...base, type: 'approval-requested', toolCallId: 't', subject: 'A question', sha256: 'f' } as const;
  // Bug: a view that began after the question said "allowed by you".
  expect(lines({ ...base, type: 'approval-answered', ...said })).toEqual([]);
  expect(lines({ ...asked, kind: 'question' })).toEqual([]);
  expect(lines({ ...base, type: 'approval-answered', ...said }).map((line) => line.trim())).toEqual([text]);
  expect(lines({ ...asked, kind: 'network' })[0]).toContain('approval needed (network)');
  expect(lines({ ...base, type: 'approval-answered', answer: 'deny', by: 'person' })[0]).toContain('denied by you');
});

// Bug: a command that changed 200 files filled the terminal with 200 lines, and the end of the run with 200 more.
it('the line of a call names only the first of many files, and counts the others', () => {
  const lines = createEventLines(plain);
  const named = Array.from({ length: 25 }, () => lines(changed('model', 't1'))).flat();
  expect(named).toHaveLength(20);
  expect(lines(ended({ queuedMs: 0, prefillMs: null, decodeMs: null, totalMs: 1 }))[0]).toBe('    and 5 more files');
  expect(lines(changed('model', 't2'))).toHaveLength(1);
});
