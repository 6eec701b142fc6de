import { mkdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { makeFolder, writeFileAtomic } from '../../../lib/files/json-file.ts';
import { scriptFiles } from '../exec/container-scripts.ts';
import { sha256Of } from '../../../lib/sha256.ts';
import { orNoted } from '../../../lib/log.ts';

/** The user and group that commands run as. */
export interface UserIds {
  readonly uid: number;
  readonly gid: number;
}

export const homeInContainer = '/home/agent';

/**
 * A short name for a Dewpoint home, the same in every process that uses it. It marks what belongs to the home in the
 * engine.
 */
export function homeIdOf(realHomePath: string): string {
  return sha256Of(realHomePath).slice(0, 12);
}

/** Files of the home that containers can read. */
export interface SupportFiles {
  readonly passwd: string;
  readonly group: string;
  /** Mounted in place of a file with secrets. */
  readonly empty: string;
  /** Mounted in place of a folder that the user masks. */
  readonly emptyFolder: string;
  /** The profile of system calls. */
  readonly seccomp: string;
  /** The folder with the programs of `container-scripts.ts`. */
  readonly scripts: string;
}

/**
 * Writes the files that containers need and returns their paths: passwd and group files that name the user id
 * (without a name, `whoami`, `getpass` and git's identity fail), and the programs that run commands. File names
 * depend on the content, so that all sessions share them and a newer version of Dewpoint disturbs none that runs.
 */
export async function supportFiles(
  folder: string,
  { user: { uid, gid }, name }: { readonly user: UserIds; readonly name: string },
  seccompText: string,
): Promise<SupportFiles> {
  const version = sha256Of(JSON.stringify(scriptFiles)).slice(0, 12);
  const scripts = join(folder, `scripts-${version}`);
  await makeFolder(folder);
  // Containers may read this folder, and nobody in them may write it.
  await mkdir(scripts, { recursive: true, mode: 0o755 });
  const users = passwdText({ uid, gid }, name);
  const passwd = join(folder, `passwd-${uid}-${gid}-${sha256Of(users).slice(0, 12)}`);
  const group = join(folder, `group-${uid}-${gid}`);
  await writeOnce(passwd, users);
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

/** `name`: whom git names as the author of a commit if nothing else does. */
export function passwdText({ uid, gid }: UserIds, name: string): string {
  const agent = `${uid === 0 ? 'root' : 'agent'}:x:${uid}:${gid}:${name}:${homeInContainer}:/bin/sh\n`;
  const root = uid === 0 ? '' : 'root:x:0:0:root:/root:/bin/sh\n';
  const nobody = uid === 65534 ? '' : 'nobody:x:65534:65534:nobody:/nonexistent:/bin/false\n';
  return root + agent + nobody;
}

export function groupText(gid: number): string {
  const agent = `${gid === 0 ? 'root' : 'agent'}:x:${gid}:\n`;
  return (gid === 0 ? '' : 'root:x:0:\n') + agent + (gid === 65534 ? '' : 'nogroup:x:65534:\n');
}

async function writeOnce(file: string, text: string): Promise<void> {
  // A file that is missing or unreadable is written again.
  const present = await readFile(file, 'utf8').catch(
    orNoted('sandbox: the file of container users was not read', null),
  );
  if (present === text) return;
  // Written atomically, because another process may be starting a container at this moment.
  await writeFileAtomic(file, text, { sync: false, mode: 0o644 });
}

/**
 * Identifies a process across reuse of its number: `pid:start`, with the start time only if the system reports it.
 */
export async function ownerMark(pid: number): Promise<string> {
  return `${pid}:${(await startOf(pid)) ?? ''}`;
}

/** Whether the process with such a mark still runs. */
export async function isOwnerAlive(mark: string): Promise<boolean> {
  const [pidText = '', start = ''] = mark.split(':');
  const pid = Number(pidText);
  if (!Number.isInteger(pid) || pid <= 0) return false;
  try {
    process.kill(pid, 0);
  } catch (error) {
    // EPERM: the process runs under another user.
    if (!(error instanceof Error && 'code' in error && error.code === 'EPERM')) return false;
  }
  const now = await startOf(pid);
  return start === '' || now === null || now === start;
}

// The 22nd field of /proc/PID/stat, in clock ticks since boot. The second field may itself contain spaces and
// brackets.
async function startOf(pid: number): Promise<string | null> {
  const text = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => null);
  if (text === null) return null;
  return text.slice(text.lastIndexOf(')') + 2).split(' ')[19] ?? null;
}

/** Identifies a folder, to notice when another one takes its place. */
export async function folderKey(path: string): Promise<string> {
  try {
    const found = await stat(join(path, '.'));
    return `${found.dev}:${found.ino}`;
  } catch {
    // A folder that appears later gets another key.
    return 'absent';
  }
}
