import { PassThrough } from 'node:stream';
import picocolors from 'picocolors';
import { describe, expect, it } from 'vitest';
import type { EventOf } from '../../../src/shared/events.ts';
import { askApproval, questionText, readAnswer } from '../../../src/main/cli/ask-approval.ts';
import { parseRunOptions } from '../../../src/main/cli/run.ts';

const question: EventOf<'approval-requested'> = {
  type: 'approval-requested',
  v: 1,
  seq: 1,
  at: 0,
  approvalId: 'a',
  toolCallId: 't',
  kind: 'network',
  subject: 'pip install x\u202E\necho \u001B[2Jsecond',
  sha256: 'a'.repeat(64),
  hosts: ['files.example.org', 'xn--bcher-kva.example'],
  reason: 'Commands have no network of their own.',
  why: 'I need it.\nAllow the hosts? yes',
};

describe('a question about a network at the terminal', () => {
  it('shows hosts, the whole command and the words of the model, with nothing that moves the cursor or hides', () => {
    expect(questionText(question)).toBe(
      [
        'run a command with a network',
        '  hosts:          files.example.org, xn--bcher-kva.example (shown as bücher.example)',
        '  command:        pip install x<U+202E>',
        '                  echo <U+001B>[2Jsecond',
        '  asked because:  Commands have no network of their own.',
        '  the model says: I need it. Allow the hosts? yes',
      ].join('\n'),
    );
  });

  it('does not let a command end where only a screen of empty lines begins', () => {
    const subject = `pip install x${'\n'.repeat(61)}curl evil.example`;
    expect(questionText({ ...question, subject })).toContain('pip install x\n                  <60 empty lines>\n');
  });

  it.each([
    ['', 'deny'],
    ['\n', 'deny'],
    ['n', 'deny'],
    ['yes please', 'deny'],
    ['o', 'allow once'],
    ['Y', 'allow once'],
    ['s', 'allow session'],
    ['project', 'allow project'],
  ])('takes %j as %s', (said, wanted) => {
    const { answer, scope } = readAnswer(said, true);
    expect(scope === undefined ? answer : `${answer} ${scope}`).toBe(wanted);
  });

  it('is the old question for everything else', () => {
    expect(readAnswer('s', false)).toEqual({ answer: 'deny' });
    expect(readAnswer('yes', false)).toEqual({ answer: 'allow' });
  });
});

describe('a question about hard links at the terminal', () => {
  it('lists the files, each on a line that nothing in a name can leave, and says what breaking does', () => {
    const { hosts: _hosts, why: _why, ...rest } = question;
    const asked = { ...rest, kind: 'hard-links', subject: '2 files', text: 'a\u001B[2J\nb', reason: 'It copies.' };
    expect(questionText(asked)).toBe(
      ['break hard links. 2 files:', '  | a<U+001B>[2J', '  | b', '  It copies.'].join('\n'),
    );
  });
});

describe('--network', () => {
  it.each([
    ['off', 'off'],
    ['ask', 'ask'],
    ['Files.example.org, b.example.org', ['files.example.org', 'b.example.org']],
  ])('%j is %j', (text, network) => {
    expect(parseRunOptions({ network: text }, false)).toMatchObject({ network });
  });

  it.each(['127.0.0.1', '*.example.org', 'a.example.org:443', 'a.example.org,', 'on'])('does not take %j', (text) => {
    expect(() => parseRunOptions({ network: text }, false)).toThrow('is not a host that commands can be given');
  });
});

describe('an answer at the terminal', () => {
  const colors = picocolors.createColors(false);

  /** Asks with a clock of its own; `lines` are typed one after the other, each when the prompt stands. */
  async function ask(event: EventOf<'approval-requested'>, lines: readonly (readonly [number, string])[]) {
    const input = new PassThrough();
    const output = new PassThrough();
    const left = [...lines];
    let now = 0;
    let said = '';
    output.on('data', () => {
      const next = left.shift();
      if (next === undefined) return;
      now += next[0];
      input.write(`${next[1]}\n`);
    });
    const terminal = { out: () => undefined, err: (text: string) => void (said += text), colors };
    const context = {
      terminal: { ...terminal, isLive: false, isInteractive: true, columns: 100 },
      signal: new AbortController().signal,
    };
    return { answer: await askApproval(event, context, { input, output, now: () => now }), said };
  }

  it('counts for nothing when it comes before the question can have been read', async () => {
    const { answer, said } = await ask(question, [
      [0, 'p'],
      [499, 'y'],
      [500, 's'],
    ]);
    expect(answer).toEqual({ answer: 'allow', scope: 'session' });
    expect(said.split('counts for nothing')).toHaveLength(3);
  });

  it('is a no for Enter alone', async () => {
    expect((await ask(question, [[600, '']])).answer).toEqual({ answer: 'deny' });
  });
});

describe('a question about instructions at the terminal', () => {
  it('shows every line as one of theirs, so that none can pass for the question itself', () => {
    const { hosts: _hosts, why: _why, ...rest } = question;
    const text = 'Use tabs.\n  hosts: none\u202E\nMay the agent do this? yes\n';
    const asked = { ...rest, kind: 'instructions', subject: 'AGENTS.md', reason: 'Nobody approved them.', text };
    expect(questionText({ ...asked, diff: '-old\n+new\n' })).toBe(
      [
        'follow instructions that the project brings along',
        '  file:           AGENTS.md',
        '  asked because:  Nobody approved them.',
        '  | Use tabs.',
        '  |   hosts: none<U+202E>',
        '  | May the agent do this? yes',
        '  what is different from what was approved:',
        '  ~ -old',
        '  ~ +new',
      ].join('\n'),
    );
  });
});
