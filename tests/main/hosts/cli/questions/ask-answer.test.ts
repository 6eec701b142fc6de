import { PassThrough } from 'node:stream';
import { expect, it } from 'vitest';
import { askAnswer, howToAnswer } from '../../../../../src/main/hosts/cli/questions/ask-answer.ts';
import { flagsAgain } from '../../../../../src/main/hosts/cli/program/run-flags.ts';
import { safeWriting } from '../../../../../src/main/hosts/text/terminal.ts';

function scene(typed: string | null) {
  const [input, output] = [new PassThrough(), new PassThrough()];
  const writing = safeWriting({ out: () => undefined, err: () => undefined }, false);
  const terminal = { ...writing, isLive: false, isInteractive: true, columns: 80 };
  const answer = askAnswer({ terminal, signal: new AbortController().signal }, { input, output });
  if (typed === null) input.end();
  else input.write(typed);
  return answer;
}

// Catches: a question at the terminal that can only be answered by another command.
it.each([
  ['the words that were typed', ' the second\n', 'the second'],
  ['null for an empty line', '\n', null],
  ['null at the end of the input', null, null],
])('the answer to a question at the terminal is %s', async (_what, typed, answer) => {
  expect(await scene(typed)).toBe(answer);
});

// Bug: who followed the hint after --max-usd 0.05 went on without any limit.
it('the hint to a question names the command that answers it, with the limits of the message', () => {
  expect(howToAnswer('abc', '')).toBe('answer: dewpoint run --session abc "YOUR ANSWER"');
  const flags = flagsAgain({ maxUsd: '0.05', check: 'npm test', policy: 'cloud', plan: true });
  expect(flags).toBe(" --check 'npm test' --max-usd 0.05");
  expect(howToAnswer('abc', flags)).toContain("abc --check 'npm test' --max-usd 0.05 \"YOUR");
});
