import { expect, it } from 'vitest';
import type { NewEvent } from '@shared/events/events.ts';
import { reduceSession } from '@shared/session/reducers/reduce-session.ts';
import { emptySession } from '@shared/session/session-state.ts';
import type { SessionState } from '@shared/session/session-state.ts';
import { spokenChanges } from '../../../../src/renderer/lib/session/spoken-changes.ts';

const limits = { maxSteps: 9, maxMinutes: 1, maxTokens: 9, maxUsd: null };
const start: NewEvent = {
  type: 'turn-started',
  turnId: 'turn',
  messageId: 'message',
  check: null,
  cascade: [],
  limits,
};
const ask: NewEvent = {
  type: 'approval-requested',
  approvalId: 'one',
  toolCallId: 'call',
  kind: 'network',
  subject: 'fetch a\u202Eb',
  sha256: '',
};
const end = (reason: Extract<NewEvent, { type: 'turn-ended' }>['reason'], text = 'All that it said.'): NewEvent => ({
  type: 'turn-ended',
  turnId: 'turn',
  reason,
  text,
  confidence: null,
  failure: reason === 'error' ? { code: 'x', message: 'The service is away.' } : null,
});

function after(...events: readonly NewEvent[]): SessionState {
  return events.reduce(
    (state, event) => reduceSession(state, { ...event, v: 2, seq: state.seq + 1, at: state.seq }),
    emptySession,
  );
}

function said(before: SessionState | null, now: SessionState): readonly string[] {
  return spokenChanges(before, now).map(({ how, text }) => `${how}: ${text}`);
}

it('the spoken changes of a session announce once that a turn begins and how it ends', () => {
  const running = after(start);
  expect(said(emptySession, running)).toEqual(['polite: Working on your message.']);
  expect(said(running, { ...running, seq: 9, steps: [...running.steps] })).toEqual([]);
  expect(said(running, after(start, end('done')))).toEqual(['polite: Finished.']);
  expect(said(running, after(start, end('planned')))).toEqual(['polite: The plan is ready.']);
  expect(said(running, after(start, end('error')))).toEqual(['assertive: Stopped by an error. The service is away.']);
  expect(said(after(start, end('done')), after(start, end('done')))).toEqual([]);
});

it('the spoken changes of a session announce a question once, with hidden characters written out', () => {
  const text =
    'assertive: Waiting for your answer. The agent wants to run a command that can reach these hosts: fetch aU+202Eb';
  const waits = after(start, ask);
  expect(said(after(start), waits)).toEqual([text]);
  expect(said(null, waits)).toEqual([text]);
  expect(said(waits, after(start, ask, { ...ask, approvalId: 'two' }))).toEqual([]);
});

// Bug: it said "A question" and not which one.
it('the spoken changes of a session announce the words of a question of the agent', () => {
  const asked = after(start, { ...ask, kind: 'question', subject: 'A question', text: 'Which shell?' });
  expect(said(after(start), asked)).toEqual([
    expect.stringMatching(/^assertive: Waiting for your answer\. .*: Which shell\?$/u),
  ]);
});

it('the spoken changes of a session announce new notices, but not those there at the start', () => {
  const notice: NewEvent = { type: 'notice-added', level: 'warning', code: 'x', text: 'A limit is not kept.' };
  expect(said(after(start), after(start, notice))).toEqual(['polite: A limit is not kept.']);
  expect(said(null, after(start, notice))).toEqual([]);
});

it('the spoken changes of a session announce the beginning of an answer without markup', () => {
  const answered = (text: string): NewEvent => end('answered', text);
  const running = after(start);
  expect(said(running, after(start, answered('# Ports\n\n- **Two** of `them`.\n\n```sh\nls\n```')))).toEqual([
    'polite: Answer: Ports Two of them . ls',
  ]);
  const [long = ''] = said(running, after(start, answered('word '.repeat(200))));
  expect(long).toMatch(/^polite: Answer: (?:word ){50,60}…$/u);
  expect(said(emptySession, after(start, answered('Paris.')))).toEqual([
    'polite: Working on your message.',
    'polite: Answer: Paris.',
  ]);
});

it('the spoken changes of a session announce what a person did with changes, not what the agent did', () => {
  const image = (sha256: string) => ({ kept: true, mode: 0o644, blob: { sha256, bytes: 1 } }) as const;
  const change = (path: string, now: string): SessionState['changes'][number] => ({
    path,
    before: image('a'),
    after: image(now),
    added: 1,
    removed: 1,
    seqs: [1],
    last: { seq: 1, side: 'workspace', isUndo: false, before: image('a'), after: image(now) },
    reviewed: false,
    taken: null,
  });
  const ended = after(start, end('done'));
  const changed = (...changes: SessionState['changes']): SessionState => ({ ...ended, changes });
  const [made, undone] = [changed(change('a.py', 'b')), changed(change('a.py', 'a'))];
  expect(said(ended, made)).toEqual([]);
  expect(said(made, undone)).toEqual(['polite: Undone: a.py']);
  expect(said(undone, made)).toEqual(['polite: Restored: a.py']);
  expect(said(made, changed({ ...change('a.py', 'b'), reviewed: true }))).toEqual(['polite: Reviewed: a.py']);
  expect(said({ ...undone, turns: after(start).turns }, { ...made, turns: after(start).turns })).toEqual([]);
  const two = changed(change('a.py', 'a'), change('b.py', 'a'));
  expect(said(changed(change('a.py', 'b'), change('b.py', 'b')), two)).toEqual(['polite: 2 files undone.']);
});
