import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sampled } from '../fakes/sampled.ts';
import { isWithoutEngine, none, output, startSandbox, type DockerUnderTest } from './docker-kit.ts';
import { hostileTrees } from './hostile-trees.ts';
import { valueOf } from '../contracts/sandbox-contract.ts';

/** Rounds of 10 trees each. */
const rounds = sampled(100, 2);

describe.skipIf(isWithoutEngine)('process trees that try to survive', () => {
  let under: DockerUnderTest;
  beforeAll(async () => {
    under = await startSandbox({ settings: { pids: 512 } });
  });
  afterAll(() => under.close());

  const survivors = async (): Promise<string> =>
    output(
      under.sandbox,
      `ps -eo pid=,ppid=,args= | grep -vE '/dewpoint/|[0-9] cat$|ps -eo|grep -vE|\\[.*\\] <defunct>' || true`,
    );

  it.each(hostileTrees)('do not survive their deadline: %s', async (_what, command) => {
    for (let round = 0; round < rounds; round += 1) {
      const result = valueOf(await under.sandbox.exec({ command, timeoutMs: 500 }, none));
      expect(result.outcome).toBe('timed-out');
      expect(await survivors()).toBe('');
    }
  });

  it('all end when several run at once', async () => {
    const ended = await Promise.all(
      hostileTrees.map(([, command]) => under.sandbox.exec({ command, timeoutMs: 1500 }, none)),
    );
    // Under load, the last stage may have been needed: the end of the whole container.
    expect(
      ended
        .map((reply) => (reply.ok ? reply.value.outcome : reply.error.code))
        .filter((outcome) => outcome === 'exited'),
    ).toEqual([]);
    expect(await survivors()).toBe('');
  });

  it('do not make an exit code of 137 look like a lack of memory', async () => {
    const plain = valueOf(await under.sandbox.exec({ command: 'exit 137', timeoutMs: 60_000 }, none));
    expect([plain.outcome, plain.stderr]).toEqual(['killed', '']);
    const small = await startSandbox({ settings: { memoryMb: 256 } });
    try {
      const hungry = 'python3 -c "x = bytearray(600_000_000)"; echo went on';
      const child = valueOf(await small.sandbox.exec({ command: hungry, timeoutMs: 60_000 }, none));
      expect([child.outcome, child.stdout]).toEqual(['exited', 'went on\n']);
      expect(child.stderr).toContain('memory limit');
      const later = valueOf(await small.sandbox.exec({ command: 'exit 137', timeoutMs: 60_000 }, none));
      expect([later.outcome, later.stderr]).toEqual(['killed', '']);
    } finally {
      await small.close();
    }
  });
});
