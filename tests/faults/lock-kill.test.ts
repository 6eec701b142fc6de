import { spawn } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { expect, it } from 'vitest';
import { tryLock } from '../../src/main/lib/files/file-lock.ts';
import { seeded } from '../../bench/lib/seeded.ts';

const program = resolve('tests/faults/lock-kill-child.ts');

/**
 * How often a process takes the lock before it is killed, and how long after that. Counts are used because a busy
 * machine is slow.
 */
interface Life {
  readonly holds: number;
  readonly laterMs: number;
}

/** Resolves when the process is dead. */
function runUntilDead(folder: string, { holds, laterMs }: Life): Promise<string | null> {
  return new Promise((done, fail) => {
    const args = ['--experimental-strip-types', '--no-warnings', program, folder, String(holds), String(laterMs)];
    const child = spawn(process.execPath, args, { stdio: 'inherit' });
    child.on('error', fail);
    child.on('exit', (_, signal) => done(signal));
  });
}

it('a lock has at most one holder while its takers are killed, and is free in the end', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'dewpoint-lock-kill-'));
  const random = seeded(9);
  try {
    const lives = Array.from({ length: 12 }, () => ({ holds: 4 + Math.floor(random() * 16), laterMs: random() * 30 }));
    const wanted = lives.reduce((sum, { holds }) => sum + holds, 0);
    const work = async (): Promise<void> => {
      for (let next = lives.pop(); next !== undefined; next = lives.pop()) {
        expect(await runUntilDead(folder, next)).toBe('SIGKILL');
      }
    };
    await Promise.all(Array.from({ length: 4 }, work));
    const lines = (await readFile(join(folder, 'held.txt'), 'utf8')).trim().split('\n');
    expect(lines.filter((line) => line !== 'held')).toEqual([]);
    expect(lines.length).toBeGreaterThanOrEqual(wanted);
    const attempt = await tryLock(join(folder, 'a.lock'));
    expect(attempt.type).toBe('taken');
    expect((await readdir(folder)).filter((name) => name.includes('break') && !name.includes('.tmp'))).toEqual([]);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});
