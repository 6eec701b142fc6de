import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { createHash } from 'node:crypto';
import { join } from 'node:path';

/** Who commands run as. */
export interface UserIds {
  readonly uid: number;
  readonly gid: number;
}

export const homeInContainer = '/home/agent';

/** A short name for a Dewpoint home, the same for every process that uses it; marks what belongs to it in the engine. */
export function homeIdOf(realHomePath: string): string {
  return createHash('sha256').update(realHomePath).digest('hex').slice(0, 12);
}

/**
 * Writes the passwd and group files that give the user id a name (without one `whoami`, `getpass` and git's identity
 * fail) and returns their paths. The same ids get the same files, so they are shared and never removed.
 */
export async function identityFiles(folder: string, { uid, gid }: UserIds): Promise<{ passwd: string; group: string }> {
  await mkdir(folder, { recursive: true });
  const passwd = join(folder, `passwd-${uid}-${gid}`);
  const group = join(folder, `group-${uid}-${gid}`);
  await writeOnce(passwd, passwdText({ uid, gid }));
  await writeOnce(group, groupText(gid));
  return { passwd, group };
}

export function passwdText({ uid, gid }: UserIds): string {
  const agent = `${uid === 0 ? 'root' : 'agent'}:x:${uid}:${gid}:agent:${homeInContainer}:/bin/sh\n`;
  const root = uid === 0 ? '' : 'root:x:0:0:root:/root:/bin/sh\n';
  const nobody = uid === 65534 ? '' : 'nobody:x:65534:65534:nobody:/nonexistent:/bin/false\n';
  return root + agent + nobody;
}

export function groupText(gid: number): string {
  const agent = `${gid === 0 ? 'root' : 'agent'}:x:${gid}:\n`;
  return (gid === 0 ? '' : 'root:x:0:\n') + agent + (gid === 65534 ? '' : 'nogroup:x:65534:\n');
}

async function writeOnce(file: string, text: string): Promise<void> {
  const present = await readFile(file, 'utf8').catch(() => null);
  if (present !== text) await writeFile(file, text, { mode: 0o644 });
}

/** Tells one run of a process from a later one with the same number: `pid:start`, the start only where the system says it. */
export async function ownerMark(pid: number): Promise<string> {
  return `${pid}:${(await startOf(pid)) ?? ''}`;
}

/** Whether the process that left such a mark still runs. */
export async function isOwnerAlive(mark: string): Promise<boolean> {
  const [pidText = '', start = ''] = mark.split(':');
  const pid = Number(pidText);
  if (!Number.isInteger(pid) || pid <= 0) return false;
  try {
    process.kill(pid, 0);
  } catch (error) {
    // EPERM: it runs, as somebody else.
    if (!(error instanceof Error && 'code' in error && error.code === 'EPERM')) return false;
  }
  const now = await startOf(pid);
  return start === '' || now === null || now === start;
}

// The 22nd field of /proc/PID/stat, in clock ticks since boot; the second field may itself hold spaces and brackets.
async function startOf(pid: number): Promise<string | null> {
  const text = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => null);
  if (text === null) return null;
  return text.slice(text.lastIndexOf(')') + 2).split(' ')[19] ?? null;
}
