import { lstat, readFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { nullIfGone, readFileBelow } from '../../../lib/files/host-folder.ts';
import { childPath, namesOf } from './folder-names.ts';
import { namedIn, type NamedWord } from './git-config.ts';
import { maxConfigBytes } from './make-harmless.ts';

/** Included files may include others, up to this depth. */
const mostIncludes = 5;

/** Something in the workspace that the configuration of a repository names. */
export interface NamedPlace {
  readonly path: string;
  /** It exists, and git uses it without being told its name in a command. */
  readonly isPinned: boolean;
}

/**
 * What a repository's configuration and the files that it includes name in the workspace: hooks, filters, further
 * configuration. Includes names that do not exist yet. Names are resolved from the work tree and from the
 * repository's data.
 */
export async function namedByConfig(workspacePath: string, folder: string): Promise<readonly NamedPlace[]> {
  const named = new Map<string, boolean>();
  const seen = new Set<string>();
  const note = async (words: readonly NamedWord[], folders: readonly string[], depth: number): Promise<void> => {
    for (const { word, isWhole, isAlias } of words) {
      for (const path of placesFor(word, { workspacePath, folders })) {
        const kind = await kindAt(workspacePath, path);
        // A folder that contains the repository is often named as its work tree.
        if (path === '' || `${folder}/`.startsWith(`${path}/`)) continue;
        if (kind === 'absent' ? !isWhole : kind === 'folder' && !isWhole) continue;
        named.set(path, named.get(path) === true || (!isAlias && kind !== 'absent'));
        if (kind === 'file' && !isAlias) await read(path, depth + 1);
      }
    }
  };
  const read = async (file: string, depth: number): Promise<void> => {
    if (seen.has(file) || depth > mostIncludes) return;
    seen.add(file);
    await note(namedIn(await textOf(workspacePath, file)), [above(folder), folder, above(file)], depth);
  };
  await read(childPath(folder, 'config'), 0);
  await note(await globalWords(), [above(folder), folder], 0);
  return [...named].map(([path, isPinned]) => ({ path, isPinned }));
}

/** The places where the hooks of a new repository would be, if the user's own settings say so by a relative path. */
export async function globalHooks(): Promise<readonly string[]> {
  return (await globalWords()).flatMap(({ key, word }) => {
    const names = key === 'core.hookspath' && !/^[/~]/.test(word) ? word.split('/') : [];
    const plain = names.filter((name) => name !== '' && name !== '.');
    return plain.length === 0 || plain.includes('..') ? [] : [plain.join('/')];
  });
}

/**
 * What the settings that the user has for all repositories may name in one of them: the folder of hooks, and words that
 * are paths. Other words, such as the name of a branch, are no names of files there.
 */
async function globalWords(): Promise<readonly NamedWord[]> {
  const words: NamedWord[] = [];
  const seen = new Set<string>();
  const read = async (file: string, depth: number): Promise<void> => {
    if (seen.has(file) || depth > mostIncludes) return;
    seen.add(file);
    const text = await readFile(file, 'utf8').catch(() => '');
    for (const named of namedIn(text.slice(0, maxConfigBytes))) {
      const { word, isWhole, key } = named;
      if (isWhole && /^include(if)?\.path$/.test(key)) await read(resolve(dirname(file), atHome(word)), depth + 1);
      else if (word.includes('/') || (isWhole && key === 'core.hookspath')) words.push(named);
    }
  };
  for (const file of globalFiles()) await read(file, 0);
  return words;
}

function globalFiles(): readonly string[] {
  const { GIT_CONFIG_GLOBAL: own, GIT_CONFIG_SYSTEM: system, XDG_CONFIG_HOME: folder } = process.env;
  const usual = [join(folder ?? join(homedir(), '.config'), 'git', 'config'), join(homedir(), '.gitconfig')];
  const systems = ['/etc/gitconfig', '/usr/local/etc/gitconfig', '/opt/homebrew/etc/gitconfig'];
  return [...(system === undefined ? systems : [system]), ...(own === undefined ? usual : [own])];
}

function atHome(path: string): string {
  return path.startsWith('~/') ? `${homedir()}${path.slice(1)}` : path;
}

function above(path: string): string {
  return namesOf(path).slice(0, -1).join('/');
}

/** The places in the workspace that a word may mean, by its text only. */
function placesFor(
  word: string,
  { workspacePath, folders }: { readonly workspacePath: string; readonly folders: readonly string[] },
): readonly string[] {
  const whole = atHome(word);
  if (whole.startsWith('/'))
    return whole.startsWith(`${workspacePath}/`) ? [whole.slice(workspacePath.length + 1)] : [];
  const places = folders.map((folder) => {
    const names = [...namesOf(folder)];
    for (const name of whole.split('/')) {
      if (name === '..' && names.pop() === undefined) return null;
      if (name !== '' && name !== '.' && name !== '..') names.push(name);
    }
    return names.join('/');
  });
  return [...new Set(places)].filter((place) => place !== null);
}

/** The text of a configuration in the workspace. Empty if there is none, or no plain file of a usual size. */
export async function textOf(workspacePath: string, file: string): Promise<string> {
  return (await readFileBelow(workspacePath, namesOf(file), maxConfigBytes))?.toString() ?? '';
}

export type PlaceKind = 'file' | 'folder' | 'other' | 'absent';

export async function kindAt(workspacePath: string, path: string): Promise<PlaceKind> {
  const found = await lstat(`${workspacePath}/${path}`).catch(nullIfGone);
  if (found === null) return 'absent';
  return found.isFile() ? 'file' : found.isDirectory() ? 'folder' : 'other';
}
