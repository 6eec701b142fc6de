import { chmod, lstat, mkdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { join, posix } from 'node:path';
import { AppError } from '@shared/errors.ts';
import { fileCalls, type FileCalls } from '../../lib/files/file-calls.ts';
import { type HostFolder, openChildFolder, openHostFolder } from '../../lib/files/host-folder.ts';
import { isContentPointer } from '../commit-files.ts';
import { loadGit } from '../load-git.ts';
import type { Repository } from '../repository.ts';
import { gitIndex, type IndexedFile } from './git-index.ts';
import type { TreeFile } from './look-at-tree.ts';

export const mostWritten = 4_000_000_000;

interface Checkout {
  /** Whole sentences. */
  readonly notes: readonly string[];
}

const modes = { file: 0o100644, program: 0o100755, link: 0o120000, submodule: 0o160000 } as const;

/**
 * Writes files that `lookAtTree` accepted into a new folder, and the index. Every name is created in the folder that was
 * opened before it: nothing is replaced, no link is followed, and links come last. Filters of the repository have no
 * effect.
 */
export async function writeCheckout(
  repository: Repository,
  files: readonly TreeFile[],
  how: WritingFiles,
): Promise<Checkout> {
  const { indexed, notes } = await writeFiles(repository, files, how);
  await writeFile(join(repository.places.common, 'index'), gitIndex(indexed), { flag: 'wx' });
  return { notes };
}

interface WritingFiles {
  readonly hasLinks: boolean;
  readonly onWritten: (count: number) => void;
  readonly mostBytes?: number;
}

/** As `writeCheckout`, without the index. */
export async function writeFiles(
  repository: Repository,
  files: readonly TreeFile[],
  { hasLinks, onWritten, mostBytes = mostWritten }: WritingFiles,
): Promise<Checkout & { readonly indexed: readonly IndexedFile[] }> {
  const { tree } = repository.places;
  const calls = fileCalls(repository.places.calls);
  const indexed: IndexedFile[] = [];
  const found = { pointers: 0, submodules: 0, outside: [] as string[] };
  let bytesLeft = mostBytes;
  const folder = createWriter(tree, { calls });
  try {
    for (const file of [
      ...files.filter(({ kind }) => kind !== 'link'),
      ...files.filter(({ kind }) => kind === 'link'),
    ]) {
      const { parent, name } = await folder.parentOf(file.path);
      if (file.kind === 'submodule') {
        await mkdir(parent.at(name));
        found.submodules += 1;
        indexed.push({ ...file, mode: modes.submodule, stats: null });
      } else {
        const bytes = await blobOf(repository, file);
        bytesLeft -= bytes.length;
        if (bytesLeft < 0) throw tooMuch(mostBytes);
        if (file.kind === 'link') {
          if (isLinkToOutside(file.path, bytes)) found.outside.push(file.path);
          await writeLink(parent.at(name), bytes, { hasLinks, calls });
        } else {
          if (isContentPointer(bytes)) found.pointers += 1;
          const mode = file.kind === 'program' ? 0o777 : 0o666;
          await calls.writeNew(parent.at(name), bytes, { mode, isSynced: false });
        }
        const stats = await calls.lstat(parent.at(name));
        indexed.push({ path: file.path, oid: file.oid, mode: modes[file.kind], stats });
      }
      onWritten(indexed.length);
    }
  } finally {
    await folder.close();
  }
  return { indexed, notes: checkoutNotes(found) };
}

/** The bytes of a file as the commit has them. */
export async function blobOf(repository: Repository, { oid, path }: TreeFile): Promise<Buffer> {
  const git = await loadGit();
  const { type, object } = await git.readObject({ ...repository.git, oid, format: 'content' });
  if (type !== 'blob' || !(object instanceof Uint8Array))
    throw new AppError('bad-input', `The repository is damaged: ${JSON.stringify(path.slice(0, 200))} is not a file.`);
  return Buffer.from(object.buffer, object.byteOffset, object.byteLength);
}

/** As git does, a system without links gets a file with the path that it leads to. */
async function writeLink(
  place: string,
  target: Buffer,
  { hasLinks, calls }: { readonly hasLinks: boolean; readonly calls: FileCalls },
): Promise<void> {
  if (target.length === 0 || target.length > 4_000 || target.includes(0))
    throw new AppError('refused', 'The repository has a link that leads to no path.');
  await (hasLinks ? symlink(target, place) : calls.writeNew(place, target, { mode: 0o666, isSynced: false }));
}

/** Whether a link at this path leads out of the folder. */
export function isLinkToOutside(path: string, target: Buffer): boolean {
  const text = target.toString().replaceAll('\\', '/');
  const whole = posix.join(posix.dirname(path), text);
  return posix.isAbsolute(text) || /^[a-z]:/iu.test(text) || whole === '..' || whole.startsWith('../');
}

/** Finds the folder of a file, and makes it where it is missing. */
export interface CheckoutWriter {
  readonly parentOf: (path: string) => Promise<{ readonly parent: HostFolder; readonly name: string }>;
  readonly close: () => Promise<void>;
}

interface WriterOptions {
  readonly calls: FileCalls;
  readonly onMade?: (path: string) => void;
}

/** Keeps the folder of the last file open, because most files are beside the one before. */
export function createWriter(root: string, { calls, onMade = () => undefined }: WriterOptions): CheckoutWriter {
  let last: { readonly way: string; readonly folder: HostFolder } | null = null;
  const close = async (): Promise<void> => {
    await last?.folder.close();
    last = null;
  };
  return {
    close,
    parentOf: async (path) => {
      const names = path.split('/');
      const name = names.pop() ?? '';
      const way = names.join('/');
      if (last?.way !== way) {
        await close();
        let folder = await openHostFolder(root, calls.mode);
        for (const [at, one] of names.entries()) {
          const outer = folder;
          const tell = (): void => onMade(names.slice(0, at + 1).join('/'));
          folder = await openOrMake(outer, one, { calls, tell }).finally(() => outer.close());
        }
        last = { way, folder };
      }
      return { parent: last.folder, name };
    },
  };
}

async function openOrMake(
  folder: HostFolder,
  name: string,
  { calls, tell }: { readonly calls: FileCalls; readonly tell: () => void },
): Promise<HostFolder> {
  await calls.mkdir(folder.at(name)).then(tell, (error: unknown) => {
    if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error;
  });
  return openChildFolder(folder, name, calls.mode);
}

function tooMuch(most: number): AppError {
  return new AppError('too-large', `The files of the repository have more than ${Math.round(most / 1e9)} GB.`, {
    hint: 'Clone it with your own git, and open the folder.',
  });
}

/** What a person should know about files that were written. */
export function checkoutNotes({
  pointers,
  submodules,
  outside,
}: {
  readonly pointers: number;
  readonly submodules: number;
  readonly outside: readonly string[];
}): readonly string[] {
  const files = (count: number, one: string): string => (count === 1 ? `1 ${one} is` : `${count} ${one}s are`);
  const notes: string[] = [];
  if (pointers > 0)
    notes.push(`${files(pointers, 'file')} in Git LFS, and only a pointer is here. To bring the content: git lfs pull`);
  if (submodules > 0)
    notes.push(`${files(submodules, 'submodule')} not brought. To bring them: git submodule update --init`);
  if (outside.length > 0) notes.push(`Links that lead outside of the folder: ${outside.slice(0, 5).join(', ')}.`);
  return notes;
}

/** What the file system of a new folder can do, tried out in it. */
export async function tryFolder(
  folder: string,
): Promise<{ readonly isCaseBlind: boolean; readonly hasLinks: boolean; readonly hasModes: boolean }> {
  const gitFolder = join(folder, '.git');
  const isCaseBlind = await readFile(join(gitFolder, 'hEAd')).then(
    () => true,
    () => false,
  );
  const tried = join(gitFolder, 'tried-link');
  // Windows makes links only for some people.
  const hasLinks = await symlink('HEAD', tried).then(
    () => true,
    () => false,
  );
  await rm(tried, { force: true });
  return { isCaseBlind, hasLinks, hasModes: await hasModesIn(gitFolder) };
}

/** Whether a file can be made one that runs, and one that does not. A disk such as exFAT has the same for all. */
async function hasModesIn(folder: string): Promise<boolean> {
  if (process.platform === 'win32') return false;
  const tried = join(folder, 'tried-mode');
  try {
    await writeFile(tried, '', { mode: 0o644 });
    const isPlain = ((await lstat(tried)).mode & 0o100) === 0;
    await chmod(tried, 0o755);
    return isPlain && ((await lstat(tried)).mode & 0o100) !== 0;
  } catch {
    return false;
  } finally {
    await rm(tried, { force: true });
  }
}
