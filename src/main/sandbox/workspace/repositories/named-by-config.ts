import { lstatSync } from 'node:fs';
import { homedir } from 'node:os';
import { readFileBelow } from '../../../lib/files/host-folder.ts';
import { joined, namesOf } from './folder-names.ts';
import { namedIn } from './git-config.ts';
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
  const read = async (file: string, depth: number): Promise<void> => {
    if (seen.has(file) || depth > mostIncludes) return;
    seen.add(file);
    for (const { word, isWhole, isAlias } of namedIn(await textOf(workspacePath, file))) {
      for (const path of placesFor(word, { workspacePath, folders: [above(folder), folder, above(file)] })) {
        const kind = kindAt(workspacePath, path);
        // A folder that contains the repository is often named as its work tree.
        if (path === '' || `${folder}/`.startsWith(`${path}/`)) continue;
        if (kind === 'absent' ? !isWhole : kind === 'folder' && !isWhole) continue;
        named.set(path, named.get(path) === true || (!isAlias && kind !== 'absent'));
        if (kind === 'file' && !isAlias) await read(path, depth + 1);
      }
    }
  };
  await read(joined(folder, 'config'), 0);
  return [...named].map(([path, isPinned]) => ({ path, isPinned }));
}

function above(path: string): string {
  return namesOf(path).slice(0, -1).join('/');
}

/** The places in the workspace that a word may mean, by its text only. */
function placesFor(
  word: string,
  { workspacePath, folders }: { readonly workspacePath: string; readonly folders: readonly string[] },
): readonly string[] {
  const whole = word.startsWith('~/') ? `${homedir()}${word.slice(1)}` : word;
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

export function kindAt(workspacePath: string, path: string): PlaceKind {
  const found = lstatSync(`${workspacePath}/${path}`, { throwIfNoEntry: false });
  if (found === undefined) return 'absent';
  return found.isFile() ? 'file' : found.isDirectory() ? 'folder' : 'other';
}
