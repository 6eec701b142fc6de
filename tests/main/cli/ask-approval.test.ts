import { describe, expect, it } from 'vitest';
import type { EventOf } from '../../../src/shared/events.ts';
import { questionText, readAnswer } from '../../../src/main/cli/ask-approval.ts';
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
