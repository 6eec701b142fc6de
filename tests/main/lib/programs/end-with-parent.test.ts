import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';

const module = JSON.stringify(resolve('src/main/lib/programs/end-with-parent.ts'));
const child = `
import { writeSync } from 'node:fs';
import { endWithParent } from ${module};
const parent = process.ppid;
const watched = endWithParent();
// The parent is killed when this is read, before the thread that watches has started.
writeSync(1, String(process.pid));
while (process.ppid === parent);
await watched;
for (;;);
`;
/** Starts the child with its own output, and waits. */
const parent = `
import { spawn } from 'node:child_process';
spawn(process.execPath, ['--input-type=module', '-e', ${JSON.stringify(child)}], { stdio: ['ignore', 'inherit', 'ignore'] });
setInterval(() => undefined, 1000);
`;

const isThere = (pid: number): boolean => {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
};

describe('a process that ends with its parent', () => {
  // Catches: a parser that goes on for hours with 1 GB of memory after Dewpoint was killed.
  it('ends after the parent was killed, also while it computes forever', { timeout: 60_000 }, async () => {
    const started = spawn(process.execPath, ['--input-type=module', '-e', parent], {
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    const [said] = await once(started.stdout, 'data');
    const pid = Number(String(said));
    expect(isThere(pid)).toBe(true);
    started.kill('SIGKILL');
    await once(started, 'exit');
    for (let waited = 0; waited < 300 && isThere(pid); waited += 1) await sleep(100);
    expect(isThere(pid)).toBe(false);
  });
});
