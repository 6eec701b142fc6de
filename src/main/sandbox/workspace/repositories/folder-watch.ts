import { lstatSync, type Stats } from 'node:fs';
import { lstat } from 'node:fs/promises';
import { pauses } from '../../../lib/async/pauses.ts';
import { grantOwnerAccess, type CallMode } from '../../../lib/files/host-folder.ts';
import { errorCodeOf } from '../../../lib/files/json-file.ts';
import { FolderChain } from './folder-chain.ts';
import type { EntryKind } from '../../files/entry-kind.ts';
import { entriesOf } from './folder-entries.ts';
import { absolutePath, hostNameOf, childPath, namesOf } from './folder-names.ts';

/** A new folder, or one in which names were added, removed or replaced since the last look. */
export interface SeenFolder {
  /** In the form of `folder-names.ts`. Empty for the top. */
  readonly path: string;
  readonly entries: ReadonlyMap<string, EntryKind>;
}

export interface LookOptions {
  readonly onFolder: (folder: SeenFolder) => void;
  readonly onGone: (path: string) => void;
  /** Ends at the limit, for a look before any command. */
  readonly endsAtLimit?: boolean;
  readonly signal: AbortSignal;
}

export interface LookEnd {
  /** Folders whose permissions were removed and cannot be restored. */
  readonly unreadable: readonly string[];
  /**
   * There are more folders than the limit. All were read and reported, unless the look ended there. But those above the
   * limit are not remembered, so the next look reads them again.
   */
  readonly isCut: boolean;
}

interface Known {
  /** Where to read it. Kept, because building this path takes as long as reading. */
  readonly place: string | Buffer;
  readonly inode: number;
  readonly changedMs: number;
  /** It was read so soon after a change that another change might not alter its time. */
  readonly isFresh: boolean;
}

const withoutThrowing = { throwIfNoEntry: false } as const;
export const mostFolders = 400_000;
/** The number of parallel requests, for file systems that answer slowly. Of a silent one, each holds a thread. */
const atOnce = 4;
/** Clocks of file systems go in steps of up to 10 ms. Those of other machines may differ by seconds. */
const freshMs = { 'at-once': 50, waiting: 5_000 } as const;

/**
 * Watches every folder of a workspace, at any depth, including `.git` and folders of packages, for changes since the
 * last look. A program cannot set the time of a folder's last change. So a look makes one request for each folder,
 * and reads only those that changed. It uses about 200 bytes of memory for each folder.
 */
export class FolderWatch {
  readonly #root: string;
  readonly #asking: CallMode;
  readonly #known = new Map<string, Known>();
  /**
   * Folders without permissions from the beginning, which is the user's choice. Folders that a command closes are
   * opened all the same.
   */
  readonly #closed = new Set<string>();
  /** Known folders that contain some that are not remembered. They are read at every look, whatever their times say. */
  readonly #partial = new Set<string>();
  readonly #limit: number;

  /** `root` must be a real path. */
  constructor(root: string, asking: CallMode, limit = mostFolders) {
    this.#root = root;
    this.#asking = asking;
    this.#limit = limit;
  }

  /** Whether this folder existed at the last look, with no link in its path. */
  has(path: string): boolean {
    return this.#known.has(path);
  }

  /** The paths of all known folders. */
  get folders(): readonly string[] {
    return [...this.#known.keys()];
  }

  /**
   * Reports every folder at the first call, and later those that changed. Nothing counts as gone while the whole
   * workspace is away, because no command can do that, and it may come back. Rejects only on abort.
   */
  async look({ onFolder, onGone, endsAtLimit = false, signal }: LookOptions): Promise<LookEnd> {
    const pause = pauses(signal);
    const isFirst = this.#known.size === 0;
    const queue = isFirst ? [''] : await this.#changed(onGone, pause);
    const chain = new FolderChain(this.#root, this.#asking);
    const unreadable: string[] = [];
    let isCut = false;
    try {
      // In the order of paths, so that the chain opens each parent folder once.
      queue.sort().reverse();
      for (let path = queue.pop(); path !== undefined; path = queue.pop()) {
        await pause();
        if (this.#isOver(path)) {
          isCut = true;
          if (endsAtLimit) break;
          this.#partial.add(knownAbove(path, this.#known));
        } else this.#partial.delete(path);
        const read =
          (await this.#read(chain, path)) ?? (isFirst || this.#closed.has(path) ? null : await this.#open(chain, path));
        if (read === 'gone') await this.#forget([path], onGone);
        else if (read === null) {
          if (isFirst) this.#closed.add(path);
          if (!this.#closed.has(path)) unreadable.push(path);
        } else {
          onFolder({ path, entries: read });
          for (const [name, kind] of read) {
            const child = childPath(path, name);
            if (kind === 'folder' && !this.#known.has(child)) queue.push(child);
          }
        }
      }
    } finally {
      await chain.close();
    }
    return { unreadable, isCut };
  }

  /** There is no room to remember a folder. */
  #isOver(path: string): boolean {
    return this.#known.size >= this.#limit && !this.#known.has(path);
  }

  /** The paths of changed folders. Reports folders that are gone. */
  async #changed(onGone: (path: string) => void, pause: () => Promise<void>): Promise<string[]> {
    const changed: string[] = [];
    const gone: string[] = [];
    const judge = (path: string, known: Known, found: Stats | 'gone' | 'unclear'): void => {
      if (found === 'gone') gone.push(path);
      else if (found === 'unclear' || this.#partial.has(path) || isOther(known, found)) changed.push(path);
    };
    if (this.#asking === 'at-once') {
      let count = 0;
      for (const [path, known] of this.#known) {
        judge(path, known, askAtOnce(known.place));
        count += 1;
        if (count % 512 === 0) await pause();
      }
      await this.#forget(gone, onGone);
      return changed;
    }
    const all = [...this.#known];
    for (let at = 0; at < all.length; at += atOnce) {
      await pause();
      const some = all.slice(at, at + atOnce);
      const found = await Promise.all(some.map(([, { place }]) => lstat(place).catch(whyNot)));
      for (const [index, [path, known]] of some.entries()) judge(path, known, found[index] ?? 'gone');
    }
    await this.#forget(gone, onGone);
    return changed;
  }

  /** Null: it cannot be read. */
  async #read(chain: FolderChain, path: string): Promise<ReadonlyMap<string, EntryKind> | 'gone' | null> {
    try {
      return await chain.use(namesOf(path), async (folder) => {
        // Its time is read before its contents, so that the next look notices changes in between.
        const { ino, ctimeMs } =
          this.#asking === 'at-once' ? lstatSync(`${folder.place}/.`) : await lstat(`${folder.place}/.`);
        const isFresh = Date.now() - ctimeMs < freshMs[this.#asking];
        const place = absolutePath(this.#root, path);
        if (!this.#isOver(path)) this.#known.set(path, { place, inode: ino, changedMs: ctimeMs, isFresh });
        return entriesOf(folder, this.#asking);
      });
    } catch (error) {
      const code = errorCodeOf(error);
      if (code === 'ENOENT' || code === 'ENOTDIR' || code === 'ELOOP') return 'gone';
      return null;
    }
  }

  /** Gives the owner access to a folder that cannot be read, and reads it. */
  async #open(chain: FolderChain, path: string): Promise<ReadonlyMap<string, EntryKind> | 'gone' | null> {
    const names = namesOf(path);
    const name = hostNameOf(names.at(-1) ?? '');
    const isOpen = await chain
      .use(names.slice(0, -1), (folder) => grantOwnerAccess(folder, name))
      .then(
        () => true,
        // It belongs to another user or is gone. The look then reports it as not read.
        () => false,
      );
    return isOpen ? this.#read(chain, path) : null;
  }

  async #forget(paths: readonly string[], onGone: (path: string) => void): Promise<void> {
    if (paths.length === 0 || (await lstat(this.#root).catch(whyNot)) === 'gone') return;
    for (const path of paths) {
      this.#known.delete(path);
      this.#partial.delete(path);
      onGone(path);
    }
  }
}

/** The closest folder above that is remembered. The top always is. */
function knownAbove(path: string, known: ReadonlyMap<string, Known>): string {
  const names = [...namesOf(path)];
  while (names.length > 0 && !known.has(names.join('/'))) names.pop();
  return names.join('/');
}

function askAtOnce(place: string | Buffer): Stats | 'gone' | 'unclear' {
  try {
    return lstatSync(place, withoutThrowing) ?? 'gone';
  } catch (error) {
    return whyNot(error);
  }
}

function isOther(known: Known, found: Stats): boolean {
  return known.isFresh || found.ctimeMs !== known.changedMs || found.ino !== known.inode;
}

/** For a path that is too long for the system, the folder is opened name by name. */
function whyNot(error: unknown): 'gone' | 'unclear' {
  const code = errorCodeOf(error);
  return code === 'ENOENT' || code === 'ENOTDIR' ? 'gone' : 'unclear';
}
