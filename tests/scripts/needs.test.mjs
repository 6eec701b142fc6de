import { expect, it } from 'vitest';
import { createNeeds } from '../../scripts/setup/needs.mjs';
import { endStreams, stream } from '../../scripts/setup/run.mjs';

// Catches: a download for a later suite that goes on after the tests were stopped.
it('the set-up of the tests starts nothing more once they are stopped', async () => {
  const needs = createNeeds({ node24: process.execPath, mayChangeSystem: false, env: {} });
  const first = needs.meet('a-first');
  expect(needs.meet('a-first')).toBe(first);
  const later = needs.meet('a-later');
  await first;
  await needs.stop();
  expect([await first, await later, await needs.meet('a-last')].map(({ message }) => message)).toEqual([
    'no setup is known for "a-first"',
    'a-later was not set up: the tests were stopped',
    'a-last was not set up: the tests were stopped',
  ]);
});

it('a program that the set-up waits for can be ended', async () => {
  const ended = stream(process.execPath, ['-e', 'setInterval(() => undefined, 1_000)'], { quiet: true });
  endStreams();
  expect(await ended).toEqual({ ok: false, output: '' });
});
