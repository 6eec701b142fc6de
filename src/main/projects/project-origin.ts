import { lstat, rm } from 'node:fs/promises';
import { dirname, isAbsolute, join, resolve } from 'node:path';
import { z } from 'zod';
import { readFileBelow } from '../lib/files/host-folder.ts';
import { projectKey } from '../lib/files/project-key.ts';
import { nothingToUndo, type WayBack } from '../lib/async/all-or-none.ts';
import { readJsonFile, writeJsonFile } from '../lib/files/json-file.ts';
import { askDrive } from '../lib/files/served-drives.ts';
import { sha256Of } from '../lib/sha256.ts';

const maxLogBytes = 16 * 1024 * 1024;
const keptSchema = z.object({ project: z.string(), from: z.string() });
const unknownPlace = 'an unknown place';

/**
 * Where the files of a project came from, according to git's log of its HEAD on this machine: the address that it was
 * cloned from, or that something was pulled. Null: the log mentions neither, or there is no such log. An answer is kept
 * in the home, because commands can write that log: what once came from elsewhere does so ever after. Starts no program. Rejects
 * with `timeout` if the drive is silent.
 */
export async function projectOrigin(folder: string, homePath: string): Promise<string | null> {
  const project = await projectKey(folder);
  const file = originFile(homePath, project);
  const kept = await readJsonFile(file, (value) => keptSchema.parse(value));
  const before = kept.type === 'value' ? kept.value.from : kept.type === 'missing' ? null : unknownPlace;
  const now = await askDrive(project, () => originNow(project));
  const from = now ?? before;
  if (from !== null && from !== before) await writeJsonFile(file, { project, from });
  return from;
}

/** The folder lies elsewhere now. Once from another place, it is so there, too. */
export async function moveOrigin(from: string, to: string, homePath: string): Promise<WayBack> {
  const kept = await readJsonFile(originFile(homePath, from), (value) => keptSchema.parse(value));
  if (kept.type === 'missing') return nothingToUndo;
  const before = kept.type === 'value' ? kept.value.from : unknownPlace;
  const place = originFile(homePath, to);
  const there = await readJsonFile(place, (value) => keptSchema.parse(value));
  await writeJsonFile(place, { project: to, from: before });
  if (there.type === 'missing') return () => rm(place, { force: true });
  const own = there.type === 'value' ? there.value.from : unknownPlace;
  return () => writeJsonFile(place, { project: to, from: own });
}

const originFile = (homePath: string, project: string): string =>
  join(homePath, 'project-origins', `${sha256Of(project).slice(0, 24)}.json`);

async function originNow(project: string): Promise<string | null> {
  const data = await gitFolderOf(project);
  if (data === null) return null;
  const text = await logOf(data);
  if (text === null) return unknownPlace;
  const cloned = /\tclone: from (.+)$/m.exec(text)?.[1];
  if (cloned !== undefined) return withoutPassword(cloned.trim());
  return /\tpull\b/.test(text) ? 'another repository' : null;
}

/** Git's data of a folder, of the folders above it, or of the repository that a worktree belongs to. Null: there is none. */
async function gitFolderOf(project: string): Promise<string | null> {
  for (let folder = project; ; folder = dirname(folder)) {
    const found = await lstat(join(folder, '.git')).catch(() => null);
    if (found?.isDirectory() === true) return join(folder, '.git');
    if (found?.isFile() === true) {
      const named = /^gitdir: (.+)$/m.exec(await textIn(folder, '.git'))?.[1]?.trim();
      if (named === undefined) return null;
      const data = resolve(folder, named);
      const common = (await textIn(data, 'commondir')).trim();
      return common === '' ? data : isAbsolute(common) ? common : resolve(data, common);
    }
    if (folder === dirname(folder)) return null;
  }
}

/** Empty: there is none. Null: it cannot be read, such as one that is a link or too long. */
async function logOf(data: string): Promise<string | null> {
  if ((await lstat(join(data, 'logs', 'HEAD')).catch(() => null)) === null) return '';
  return (await readFileBelow(data, ['logs', 'HEAD'], maxLogBytes))?.toString() ?? null;
}

async function textIn(folder: string, name: string): Promise<string> {
  return (await readFileBelow(folder, [name], 64 * 1024))?.toString() ?? '';
}

function withoutPassword(address: string): string {
  return address.replace(/^([a-z][a-z0-9+.-]*:\/\/)[^/@]*@/i, '$1').slice(0, 200);
}
