import { expect, it } from 'vitest';
import { createLateSandbox } from '../../../src/main/sandbox/late-sandbox.ts';
import { createMemorySandbox } from '../../fakes/sandbox/memory-sandbox.ts';

const { signal } = new AbortController();

function late() {
  const reading = { ...createMemorySandbox({ files: { a: '1' } }), tier: 'read-only' as const };
  const real = createMemorySandbox({ files: { a: '1' }, exec: () => ({ exitCode: 0, stdout: 'ran' }) });
  const seen = { starts: 0, disposed: 0 };
  const ends = (one: typeof real) => ({
    ...one,
    dispose: async () => {
      seen.disposed += 1;
    },
  });
  const sandbox = createLateSandbox({ ...reading, ...ends(reading), tier: 'read-only' }, async () => {
    seen.starts += 1;
    return ends(real);
  });
  return { sandbox, seen };
}

/** Catches: a container that is started for an answer in words, is started twice, or is left behind. */
it('a sandbox that is prepared later only reads at first, is started once, and ends with both', async () => {
  const { sandbox, seen } = late();
  expect([sandbox.tier, seen.starts]).toEqual(['read-only', 0]);
  expect((await sandbox.files.read('a', {}, signal)).ok).toBe(true);
  await Promise.all([sandbox.prepare(signal), sandbox.prepare(signal)]);
  await sandbox.prepare(signal);
  expect([sandbox.tier, seen.starts]).toEqual(['memory', 1]);
  expect(await sandbox.exec({ command: 'ls', timeoutMs: 1000 }, signal)).toMatchObject({ value: { stdout: 'ran' } });
  await sandbox.dispose();
  expect(seen.disposed).toBe(2);
});

it('a sandbox that is disposed while it starts ends the one that was being started', async () => {
  const { sandbox, seen } = late();
  const preparing = sandbox.prepare(signal);
  await sandbox.dispose();
  await preparing;
  expect([seen.disposed, sandbox.tier]).toEqual([2, 'read-only']);
});
