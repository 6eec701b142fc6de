import { appendFileSync, openSync, readFileSync, renameSync, rmSync, writeFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { tryLock } from '../../src/main/lib/files/file-lock.ts';

/**
 * Takes the lock of a folder again and again, and records what it finds while it holds the lock. Every other time, it
 * leaves the lock behind in the name of a dead process, so that there are many takeovers in a short time. It is killed
 * `laterMs` after it took the lock `holds` times. Several run at once, started by `lock-kill.test.ts`.
 */
const [folder = '', holds = '0', laterMs = '0'] = process.argv.slice(2);
for (let round = 0, held = 0; ; round += 1) {
  const attempt = await tryLock(join(folder, 'a.lock'));
  if (attempt.type === 'held') {
    await new Promise((resolve) => setImmediate(resolve));
    continue;
  }
  await hold();
  held += 1;
  if (held === Number(holds)) setTimeout(() => process.kill(process.pid, 'SIGKILL'), Number(laterMs));
  if (round % 2 === 0) await attempt.lock.release();
  else leaveBehind();
}

function leaveBehind(): void {
  const dead = join(folder, `dead-${process.pid}`);
  writeFileSync(dead, JSON.stringify({ pid: 999_999_999, startedAt: '1', boot: null, token: Math.random() }));
  renameSync(dead, join(folder, 'a.lock'));
}

async function hold(): Promise<void> {
  const inside = join(folder, 'inside');
  try {
    writeSync(openSync(inside, 'wx'), String(process.pid));
  } catch {
    const other = Number(readFileSync(inside, 'utf8'));
    if (isThere(other)) appendFileSync(join(folder, 'held.txt'), `${process.pid} beside ${other}\n`);
  }
  appendFileSync(join(folder, 'held.txt'), 'held\n');
  await wait(1);
  rmSync(inside, { force: true });
}

function isThere(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.startsWith('Z') !== true;
  } catch {
    // The file is gone.
    return false;
  }
}
