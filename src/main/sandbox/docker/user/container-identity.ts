import { mkdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { makeFolder, writeFileAtomic } from '../../../lib/files/json-file.ts';
import { scriptFiles } from '../exec/container-scripts.ts';
import { sha256Of } from '../../../lib/sha256.ts';

/** Who commands run as. */
export interface UserIds {
  readonly uid: number;
  readonly gid: number;
}

export const homeInContainer = '/home/agent';

/** A short name for a Dewpoint home, the same for every process that uses it; marks what belongs to it in the engine. */
export function homeIdOf(realHomePath: string): string {
  return sha256Of(realHomePath).slice(0, 12);
}

/** Files of the home that a container is given to read. */
export interface SupportFiles {
  readonly passwd: string;
  readonly group: string;
  /** What stands in the place of a file with secrets. */
  readonly empty: string;
  /** And of a folder that a person masks. */
  readonly emptyFolder: string;
  /** The profile of system calls. */
  readonly seccomp: string;
  /** The folder with the programs of `scripts.ts`. */
  readonly scripts: string;
}

/**
 * Writes the passwd and group files that give the user id a name (without one `whoami`, `getpass` and git's identity
 * fail) and the programs that run commands, and returns their paths. The same content has the same name, so that all
 * sessions share them and a newer version of Dewpoint disturbs none that runs.
 */
export async function supportFiles(folder: string, { uid, gid }: UserIds, seccompText: string): Promise<SupportFiles> {
  const version = sha256Of(JSON.stringify(scriptFiles)).slice(0, 12);
  const scripts = join(folder, `scripts-${version}`);
  await makeFolder(folder);
  // What a container is given of it: whoever runs there reads it, and nobody writes it.
  await mkdir(scripts, { recursive: true, mode: 0o755 });
  const passwd = join(folder, `passwd-${uid}-${gid}`);
  const group = join(folder, `group-${uid}-${gid}`);
  await writeOnce(passwd, passwdText({ uid, gid }));
  await writeOnce(group, groupText(gid));
  const empty = join(folder, 'empty');
  await writeOnce(empty, '');
  const emptyFolder = join(folder, 'empty-folder');
  await mkdir(emptyFolder, { recursive: true, mode: 0o755 });
  const seccomp = join(folder, `seccomp-${sha256Of(seccompText).slice(0, 12)}.json`);
  await writeOnce(seccomp, seccompText);
  for (const [name, text] of Object.entries(scriptFiles)) await writeOnce(join(scripts, name), text);
  return { passwd, group, empty, emptyFolder, seccomp, scripts };
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
  // What is missing or cannot be read is written.
  const present = await readFile(file, 'utf8').catch(() => null);
  if (present === text) return;
  // Whole or not at all: another process may be starting a container at this moment.
  await writeFileAtomic(file, text, { sync: false, mode: 0o644 });
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

/** Tells a folder from another one that took its place. */
export async function folderKey(path: string): Promise<string> {
  try {
    const found = await stat(join(path, '.'));
    return `${found.dev}:${found.ino}`;
  } catch {
    // A folder that comes later gets a key of its own.
    return 'absent';
  }
}
