import { execFile } from 'node:child_process';
import { readFileSync, readdirSync } from 'node:fs';
import { mkdir, mkdtemp, rm, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

const bytes = 64 * 1024 * 1024;

interface HungDisk extends AsyncDisposable {
  readonly path: string;
  /** From now on no call on the disk returns, as on a network drive whose server is gone. */
  readonly hang: () => void;
  readonly answer: () => void;
}

/** A disk that a process serves, which can be stopped (exfat-fuse). Null: this user or this machine cannot. */
export async function hungDisk(): Promise<HungDisk | null> {
  const base = await mkdtemp(join(tmpdir(), 'dewpoint-hung-'));
  const path = join(base, 'disk');
  const undo: (() => Promise<unknown>)[] = [() => rm(base, { recursive: true, force: true })];
  const release = async (): Promise<void> => {
    for (const step of undo.splice(0).toReversed()) await step();
  };
  try {
    const image = join(base, 'disk.img');
    await mkdir(path);
    await writeFile(image, '');
    await truncate(image, bytes);
    await run('mkfs.exfat', [image]);
    const device = (await run('losetup', ['--find', '--show', image])).stdout.trim();
    undo.push(() => run('losetup', ['--detach', device]));
    await run('mount.exfat-fuse', [device, path]);
    undo.push(() => run('umount', ['--lazy', path]));
    const server = serverOf(device);
    const answer = (): void => void process.kill(server, 'SIGCONT');
    undo.push(async () => answer());
    return { path, hang: () => void process.kill(server, 'SIGSTOP'), answer, [Symbol.asyncDispose]: release };
  } catch {
    await release();
    return null;
  }
}

/** The process that serves a device. Throws if there is none. */
function serverOf(device: string): number {
  for (const name of readdirSync('/proc').filter((one) => /^\d+$/u.test(one))) {
    const words = commandOf(name).split('\0');
    if (words[0]?.endsWith('mount.exfat-fuse') === true && words[1] === device) return Number(name);
  }
  throw new Error(`Nothing serves ${device}.`);
}

function commandOf(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8');
  } catch {
    // It ended meanwhile.
    return '';
  }
}
