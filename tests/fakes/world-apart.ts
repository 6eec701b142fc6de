import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdir, readFile, rmdir } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** Separate processes, mounts and network. Everything inside ends with `end`, or when this process ends. */
export interface WorldApart {
  /** Runs a command inside. Rejects if it fails. */
  run(...command: readonly string[]): Promise<void>;
  /** Starts a program that keeps running inside. Its output goes to the file `log`. */
  leave(log: string, command: readonly string[]): Promise<void>;
  end(): Promise<void>;
}

/** Needs Linux, root, `unshare` and `nsenter`. */
export async function startWorldApart(): Promise<WorldApart> {
  // Process 1 inside: everything inside dies with it, and it dies when our end of its input closes. It is a shell,
  // because a shell reaps dead children: a restarting daemon waits forever for a process that is still listed.
  const apart = ['--fork', '--pid', '--mount-proc', '--net', '--mount', '--kill-child'];
  const anchor = spawn('unshare', [...apart, 'bash', '-c', 'read'], { stdio: ['pipe', 'ignore', 'ignore'] });
  await once(anchor, 'spawn');
  const pid = await shellBelow(anchor.pid ?? 0);
  const inside = async (...command: readonly string[]): Promise<void> => {
    await run('nsenter', ['-t', String(pid), '-p', '-n', '-m', ...command]);
  };
  return {
    run: inside,
    // The shell leaves the program, so that process 1 reaps it. Otherwise nsenter would stop together with the program
    // and stay stopped.
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

/** Removes the control groups of its containers, which outlive it. */
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
