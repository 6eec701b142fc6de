import { lstatSync, type Stats } from 'node:fs';
import { lstat } from 'node:fs/promises';
import { grantOwnerAccess, type CallMode } from '../../../lib/files/host-folder.ts';
import { errorCodeOf } from '../../../lib/files/json-file.ts';
import { FolderChain } from './folder-chain.ts';
import type { EntryKind } from '../../files/entry-kind.ts';
import { entriesOf } from './folder-entries.ts';
import { absolutePath, hostNameOf, joined, namesOf } from './folder-names.ts';

/** A folder that is new, or in which a name has come, gone or changed its place since the last look. */
export interface SeenFolder {
  /** See `folder-names.ts`; empty for the top. */
  readonly path: string;
  readonly entries: ReadonlyMap<string, EntryKind>;
}

export interface LookOptions {
  readonly onFolder: (folder: SeenFolder) => void;
  readonly onGone: (path: string) => void;
  readonly signal: AbortSignal;
}

export interface LookEnd {
  /** Folders that came to be closed and that cannot be opened again. */
  readonly unreadable: readonly string[];
  /** There are more folders than are looked at. */
  readonly isCut: boolean;
}

interface Known {
  /** Where to ask for it; kept, for putting it together takes as long as the answer. */
  readonly place: string | Buffer;
  readonly inode: number;
  readonly changedMs: number;
  /** It was read so soon after a change that another one need not show in its time. */
  readonly isFresh: boolean;
}

const withoutThrowing = { throwIfNoEntry: false } as const;
const mostFolders = 400_000;
/** The main thread is given back after so long. */
const sliceMs = 8;
/** Asked side by side, where each answer may take its time. */
const atOnce = 64;
/** Clocks of file systems go in steps of up to 10 ms; those of other machines may differ by seconds. */
const freshMs = { 'at-once': 50, waiting: 5_000 } as const;

/**
 * Every folder of a workspace, at any depth, also in `.git` and in folders of packages, and which of them changed since the
 * last look. The time of a folder's last change cannot be set by a program, so that a look asks one question for each
 * folder and reads only those that changed. Memory: about 200 bytes a folder.
 */
export class FolderWatch {
  readonly #root: string;
  readonly #asking: CallMode;
  readonly #known = new Map<string, Known>();
  /** Closed from the beginning, which is the person's wish; what a command closes is looked into all the same. */
  readonly #closed = new Set<string>();

  /** `root`: a real path. */
  constructor(root: string, asking: CallMode) {
    this.#root = root;
    this.#asking = asking;
  }

  /** Whether there was such a folder at the last look, with no link on the way to it. */
  has(path: string): boolean {
    return this.#known.has(path);
  }

  /** All that are known, by their paths. */
  get folders(): readonly string[] {
    return [...this.#known.keys()];
  }

  /** Tells of every folder at the first call, later of those that changed. Rejects on abort alone. */
  async look({ onFolder, onGone, signal }: LookOptions): Promise<LookEnd> {
    const pause = pauses(signal);
    const isFirst = this.#known.size === 0;
    const queue = isFirst ? [''] : await this.#changed(onGone, pause);
    const chain = new FolderChain(this.#root, this.#asking);
    const unreadable: string[] = [];
    let isCut = false;
    try {
      // From the end, in the order of paths: the chain then opens each folder on the way once.
      queue.sort().reverse();
      for (let path = queue.pop(); path !== undefined; path = queue.pop()) {
        await pause();
        if (this.#known.size >= mostFolders && !this.#known.has(path)) {
          isCut = true;
          continue;
        }
        const read =
          (await this.#read(chain, path)) ?? (isFirst || this.#closed.has(path) ? null : await this.#open(chain, path));
        if (read === 'gone') this.#forget(path, onGone);
        else if (read === null) {
          if (isFirst) this.#closed.add(path);
          if (!this.#closed.has(path)) unreadable.push(path);
        } else {
          onFolder({ path, entries: read });
          for (const [name, kind] of read) {
            const child = joined(path, name);
            if (kind === 'folder' && !this.#known.has(child)) queue.push(child);
          }
        }
      }
    } finally {
      await chain.close();
    }
    return { unreadable, isCut };
  }

  /** Folders that are not as they were; tells of those that are gone. */
  async #changed(onGone: (path: string) => void, pause: () => Promise<void>): Promise<string[]> {
    const changed: string[] = [];
    const judge = (path: string, known: Known, found: Stats | 'gone' | 'unclear'): void => {
      if (found === 'gone') this.#forget(path, onGone);
      else if (found === 'unclear' || isOther(known, found)) changed.push(path);
    };
    if (this.#asking === 'at-once') {
      let count = 0;
      for (const [path, known] of this.#known) {
        judge(path, known, askAtOnce(known.place));
        count += 1;
        if (count % 512 === 0) await pause();
      }
      return changed;
    }
    const all = [...this.#known];
    for (let at = 0; at < all.length; at += atOnce) {
      await pause();
      const some = all.slice(at, at + atOnce);
      const found = await Promise.all(some.map(([, { place }]) => lstat(place).catch(whyNot)));
      for (const [index, [path, known]] of some.entries()) judge(path, known, found[index] ?? 'gone');
    }
    return changed;
  }

  /** Null: nobody may read it. */
  async #read(chain: FolderChain, path: string): Promise<ReadonlyMap<string, EntryKind> | 'gone' | null> {
    try {
      return await chain.use(namesOf(path), async (folder) => {
        // Asked before it is read: what changes meanwhile is seen by the next look.
        const { ino, ctimeMs } =
          this.#asking === 'at-once' ? lstatSync(`${folder.place}/.`) : await lstat(`${folder.place}/.`);
        const isFresh = Date.now() - ctimeMs < freshMs[this.#asking];
        const place = absolutePath(this.#root, path);
        this.#known.set(path, { place, inode: ino, changedMs: ctimeMs, isFresh });
        return entriesOf(folder, this.#asking);
      });
    } catch (error) {
      const code = errorCodeOf(error);
      if (code === 'ENOENT' || code === 'ENOTDIR' || code === 'ELOOP') return 'gone';
      return null;
    }
  }

  /** One that nobody may read is opened to its owner first. */
  async #open(chain: FolderChain, path: string): Promise<ReadonlyMap<string, EntryKind> | 'gone' | null> {
    const names = namesOf(path);
    const name = hostNameOf(names.at(-1) ?? '');
    const isOpen = await chain
      .use(names.slice(0, -1), (folder) => grantOwnerAccess(folder, name))
      .then(
        () => true,
        // Of another user, or gone: the look says that it was not looked into.
        () => false,
      );
    return isOpen ? this.#read(chain, path) : null;
  }

  #forget(path: string, onGone: (path: string) => void): void {
    this.#known.delete(path);
    onGone(path);
  }
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

/** A path that is too long for the system is looked at name by name. */
function whyNot(error: unknown): 'gone' | 'unclear' {
  const code = errorCodeOf(error);
  return code === 'ENOENT' || code === 'ENOTDIR' ? 'gone' : 'unclear';
}

/** Gives the main thread back every few milliseconds; rejects on abort. */
export function pauses(signal: AbortSignal): () => Promise<void> {
  let until = performance.now() + sliceMs;
  return async () => {
    signal.throwIfAborted();
    if (performance.now() < until) return;
    await new Promise((resolve) => setImmediate(resolve));
    until = performance.now() + sliceMs;
  };
}
