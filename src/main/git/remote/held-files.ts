import { posix } from 'node:path';
import { AppError } from '@shared/errors.ts';
import type { RepositoryFiles } from '../repository-files.ts';

/** What the library brings, kept in memory until it was looked at. */
export interface HeldFiles {
  readonly files: RepositoryFiles;
  /** The pack that was brought, and the index that the library made of it. Null: nothing was brought. */
  readonly pack: () => { readonly pack: Buffer; readonly index: Buffer } | null;
  /** The branches of the remote as they would be written: names below `refs/remotes/` to ids. */
  readonly branches: () => ReadonlyMap<string, string>;
  /**
   * Writes the pack, its index, and of the branches those with these names, in this order. Returns the branches that
   * were left out, because an older one has the name of their folder, or a folder of older ones their name.
   */
  readonly keep: (names: ReadonlySet<string>) => Promise<readonly string[]>;
}

const held = /^\/git\/(?:objects\/pack|refs\/remotes)\//u;
const remotes = '/git/refs/remotes/';
const packs = '/git/objects/pack';

/**
 * Files of a repository in which a fetch writes nothing. The library writes branches before it has read the pack, and a
 * pack that is damaged would break all of git there.
 */
export function createHeldFiles(files: RepositoryFiles): HeldFiles {
  const made = new Map<string, Buffer>();
  const find = (end: string): Buffer | undefined =>
    [...made].find(([path]) => path.startsWith(packs) && path.endsWith(end))?.[1];
  const overlay: RepositoryFiles = {
    ...files,
    readFile: async (path, options) => {
      const known = made.get(path);
      if (known === undefined) return files.readFile(path, options);
      return isText(options) ? known.toString('utf8') : known;
    },
    writeFile: async (path, content) => {
      const bytes = Buffer.from(content);
      // A part of the history stays the same part.
      if (path === '/git/shallow' && isSame(await files.readFile(path).catch(() => null), bytes)) return;
      // A remote may be set to note its branches among the person's own, which would move them unseen.
      if (!held.test(path))
        throw new AppError('refused', 'The remote would write over your own branches. Nothing was changed.', {
          hint: 'See its setting: git config --get-all remote.NAME.fetch',
        });
      made.set(path, bytes);
    },
    mkdir: async () => undefined,
    readdir: async (path) => {
      const names = await files.readdir(path);
      const more = [...made.keys()].filter((one) => posix.dirname(one) === path).map((one) => posix.basename(one));
      return [...new Set([...names, ...more])];
    },
    // The library removes the note on a part of the history where there is none.
    unlink: async (path) => {
      await files.lstat(path);
      return files.unlink(path);
    },
  };
  return {
    files: overlay,
    pack: () => {
      const [pack, index] = [find('.pack'), find('.idx')];
      return pack === undefined ? null : { pack, index: index ?? Buffer.alloc(0) };
    },
    branches: () =>
      new Map(
        [...made]
          .filter(([path]) => path.startsWith(remotes))
          .map(([path, bytes]) => [path.slice(remotes.length), bytes.toString().trim()]),
      ),
    keep: async (names) => {
      const order = ['.pack', '.idx'];
      for (const end of order)
        for (const [path, bytes] of made)
          if (path.startsWith(packs) && path.endsWith(end)) await files.writeFile(path, bytes);
      const left: string[] = [];
      for (const [path, bytes] of made) {
        const name = path.slice(remotes.length);
        if (!path.startsWith(remotes) || !names.has(name)) continue;
        if (await isTaken(files, path)) {
          left.push(name);
          continue;
        }
        await makeFolders(files, posix.dirname(path));
        await files.writeFile(path, bytes);
      }
      return left;
    },
  };
}

async function isTaken(files: RepositoryFiles, path: string): Promise<boolean> {
  const kindOf = async (place: string): Promise<'folder' | 'file' | null> =>
    files.lstat(place).then(
      (found) => (found.isDirectory() ? 'folder' : 'file'),
      () => null,
    );
  for (let folder = posix.dirname(path); folder.startsWith(remotes); folder = posix.dirname(folder))
    if ((await kindOf(folder)) === 'file') return true;
  return (await kindOf(path)) === 'folder';
}

/** Makes the folders of a branch that are missing. */
export async function makeFolders(files: RepositoryFiles, path: string): Promise<void> {
  const names = path.split('/').slice(1);
  for (let depth = 3; depth <= names.length; depth += 1)
    await files.mkdir(`/${names.slice(0, depth).join('/')}`).catch((error: unknown) => {
      if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error;
    });
}

const isSame = (one: Buffer | string | null, other: Buffer): boolean =>
  one !== null && sorted(one.toString()) === sorted(other.toString());

const sorted = (text: string): string => text.trim().split('\n').sort().join('\n');

function isText(options: unknown): boolean {
  return typeof options === 'object' && options !== null && 'encoding' in options && options.encoding === 'utf8';
}
