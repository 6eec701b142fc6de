import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdir, readFile, rmdir } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** Processes, mounts and a network of their own; whatever runs in there ends with `end`, and when we do. */
export interface WorldApart {
  /** Runs a command in there; rejects when it fails. */
  run(...command: readonly string[]): Promise<void>;
  /** Starts a program that goes on, with all it prints in the file `log`. */
  leave(log: string, command: readonly string[]): Promise<void>;
  end(): Promise<void>;
}

/** Needs Linux, root, `unshare` and `nsenter`. */
export async function startWorldApart(): Promise<WorldApart> {
  // Process 1 of it: whatever runs in there dies with it, and it dies with our end of its input. A shell, because it
  // buries the dead: a daemon that starts again waits for ever for one that is still in the list.
  const apart = ['--fork', '--pid', '--mount-proc', '--net', '--mount', '--kill-child'];
  const anchor = spawn('unshare', [...apart, 'bash', '-c', 'read'], { stdio: ['pipe', 'ignore', 'ignore'] });
  await once(anchor, 'spawn');
  const pid = await shellBelow(anchor.pid ?? 0);
  const inside = async (...command: readonly string[]): Promise<void> => {
    await run('nsenter', ['-t', String(pid), '-p', '-n', '-m', ...command]);
  };
  return {
    run: inside,
    // Let go of by its shell, so that process 1 buries it: nsenter would stop when the program is stopped, and stay so.
    leave: (log, command) => inside('sh', '-c', '"$@" >"$0" 2>&1 &', log, ...command),
    end: async () => {
      const ended = once(anchor, 'exit');
      process.kill(pid, 'SIGKILL');
      await ended;
    },
  };
}

async function shellBelow(pid: number): Promise<number> {
  for (;;) {
    const text = await readFile(`/proc/${pid}/task/${pid}/children`, 'utf8').catch(() => '');
    const child = Number(text.trim().split(' ')[0]);
    if (child > 0 && (await readFile(`/proc/${child}/comm`, 'utf8').catch(() => '')).trim() === 'bash') return child;
    await wait(10);
  }
}

/** The control groups that its containers were in: they outlive it. */
export async function removeGroups(name: string): Promise<void> {
  const top = '/sys/fs/cgroup';
  const places = [top, ...(await readdir(top).catch(() => [])).map((one) => join(top, one))];
  for (const place of places) {
    for (const inner of await readdir(join(place, name)).catch(() => [])) {
      await rmdir(join(place, name, inner)).catch(() => undefined);
    }
    await rmdir(join(place, name)).catch(() => undefined);
  }
}
