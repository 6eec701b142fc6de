import { rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { valueOf } from '../contracts/sandbox-contract.ts';
import { isWithoutEngine, none, output, startSandbox } from '../docker/docker-kit.ts';
import { mountDisk, type Mounted } from './mounts.ts';

describe.skipIf(isWithoutEngine || process.platform !== 'linux' || process.getuid?.() !== 0)(
  'a command that fills the disk of the project',
  { timeout: 240_000 },
  () => {
    it('is ended before the disk is full, says why, and lets the next one work', async (context) => {
      const disks: Mounted[] = [];
      const under = await startSandbox({
        prepare: async (workspace) => {
          const disk = await mountDisk(workspace, '400m');
          if (disk !== null) disks.push(disk);
        },
      });
      try {
        if (disks.length === 0) context.skip('no disk can be mounted here');
        // The end is slower than a disk: the watch checks twice a second, and the last twentieth takes a minute.
        const command =
          'more() { head -c 1000000 /dev/zero >> big || exit 1; sleep $1; }; head -c 300000000 /dev/zero > big; for i in $(seq 99); do more 0.05; done; for i in $(seq 400); do more 3; done';
        const filled = valueOf(await under.sandbox.exec({ command, timeoutMs: 100_000 }, none));
        expect([filled.outcome, filled.exitCode]).toEqual(['killed', null]);
        expect(filled.stderr).toMatch(/ended because the disk of the project is nearly full: \d+ MB are left/);
        expect(await output(under.sandbox, 'rm big; echo works')).toBe('works\n');
      } finally {
        await under.sandbox.dispose();
        await disks[0]?.[Symbol.asyncDispose]();
        await under.close();
      }
    });

    it('is ended and told what runs short when its files are empty', async (context) => {
      const disks: Mounted[] = [];
      const under = await startSandbox({
        prepare: async (workspace) => {
          const disk = await mountDisk(workspace, '400m,nr_inodes=40000');
          if (disk !== null) disks.push(disk);
        },
      });
      try {
        if (disks.length === 0) context.skip('no disk can be mounted here');
        const command = `python3 -c "
import time
for i in range(37500): open(f'f{i}', 'w').close()
for i in range(200):
    for j in range(20): open(f'g{i}-{j}', 'w').close()
    time.sleep(0.1 if i < 30 else 0.6)"`;
        const filled = valueOf(await under.sandbox.exec({ command, timeoutMs: 100_000 }, none));
        expect([filled.outcome, filled.exitCode, filled.killedFor]).toEqual(['killed', null, 'disk']);
        expect(filled.stderr).toMatch(
          /ended because the disk of the project is nearly full: \d+ files more can be made/,
        );
      } finally {
        await under.sandbox.dispose();
        await disks[0]?.[Symbol.asyncDispose]();
        await under.close();
      }
    });

    it('pauses while a person makes room, and finishes with all it had', async (context) => {
      const disks: Mounted[] = [];
      const asked: string[] = [];
      let place = '';
      const sizes: number[] = [];
      const under = await startSandbox({
        prepare: async (workspace) => {
          place = workspace;
          const disk = await mountDisk(workspace, '400m');
          if (disk === null) return;
          disks.push(disk);
          await writeFile(join(workspace, 'old'), Buffer.alloc(199_000_000));
        },
        onDiskLow: async (text) => {
          asked.push(text);
          const size = async (): Promise<number> => (await stat(join(place, 'new'))).size;
          sizes.push(await size());
          await rm(join(place, 'old'));
          sizes.push(await size());
          return 'go-on';
        },
      });
      try {
        if (disks.length === 0) context.skip('no disk can be mounted here');
        // Slow while the disk is nearly full: the last twentieth takes a minute.
        const command =
          'head -c 199000000 /dev/zero > new; for i in $(seq 31); do head -c 1000000 /dev/zero >> new || exit 1; [ ! -e old ] || sleep 3; done; wc -c < new';
        const ran = valueOf(await under.sandbox.exec({ command, timeoutMs: 100_000 }, none));
        expect([ran.outcome, ran.exitCode, ran.stdout.trim(), ran.stderr]).toEqual(['exited', 0, '230000000', '']);
        expect(asked).toEqual([expect.stringMatching(/nearly full: \d+ MB are left.*The command is paused/)]);
        expect(sizes[0]).toBe(sizes[1]);
        expect(await output(under.sandbox, 'echo works')).toBe('works\n');
      } finally {
        await under.sandbox.dispose();
        await disks[0]?.[Symbol.asyncDispose]();
        await under.close();
      }
    });
  },
);
