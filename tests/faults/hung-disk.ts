import { readFileSync, readdirSync } from 'node:fs';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { mountExfat } from './exfat-disk.ts';

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
  await mkdir(path);
  const mounted = await mountExfat(join(base, 'disk.img'), path, { isLazy: true });
  const server = mounted === null ? null : serverOf(mounted.device);
  const answer = (): void => void (server !== null && process.kill(server, 'SIGCONT'));
  const release = async (): Promise<void> => {
    answer();
    await mounted?.unmount();
    await rm(base, { recursive: true, force: true });
  };
  if (server !== null)
    return { path, hang: () => void process.kill(server, 'SIGSTOP'), answer, [Symbol.asyncDispose]: release };
  await release();
  return null;
}

/** The process that serves a device. Null: there is none. */
function serverOf(device: string): number | null {
  for (const name of readdirSync('/proc').filter((one) => /^\d+$/u.test(one))) {
    const words = commandOf(name).split('\0');
    if (words[0]?.endsWith('mount.exfat-fuse') === true && words[1] === device) return Number(name);
  }
  return null;
}

function commandOf(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8');
  } catch {
    // It ended meanwhile.
    return '';
  }
}
