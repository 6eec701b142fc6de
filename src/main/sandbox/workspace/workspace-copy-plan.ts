import { lstat, readdir } from 'node:fs/promises';
import {
  nullIfGone,
  openChildFolder,
  openHostFolder,
  pathIn,
  readRegularFile,
  type HostFolder,
} from '../../lib/files/host-folder.ts';
import { withoutIgnored } from '../files/ignore-rules.ts';
import type { ListEntry } from '../sandbox.ts';
import { isMaybeEnvironment, isSkippedFolder } from '../files/skipped-folders.ts';
import { kindOf } from '../files/entry-kind.ts';

/** What a copy of a project would contain. */
export interface CopyPlan {
  /** Every folder comes before its contents. */
  readonly entries: readonly CopyEntry[];
  readonly files: number;
  readonly bytes: number;
  /** What is not copied because ignore files name it: its files, and the topmost folders or files. */
  readonly leftOut: { readonly files: number; readonly bytes: number; readonly paths: readonly string[] };
}

export interface CopyEntry extends ListEntry {
  /** Its relative path as the file system has it, because a name need not be text. */
  readonly raw: Buffer;
}

/**
 * Smaller files are copied even if an ignore file names them: they may be the user's settings, without which nothing
 * runs.
 */
const smallBytes = 1024 * 1024;
const maxIgnoreBytes = 128 * 1024;
/** As many as Node has threads by itself: on a drive that falls silent, each call holds one. */
const atOnce = 4;
const slash = Buffer.from('/');

/**
 * Reads a project that is to be copied, without following links. Leaves out what ignore files name (builds, data),
 * except small files and packages, which tests need. Rejects on abort, and if something cannot be read.
 */
export async function planCopy(from: string, signal: AbortSignal): Promise<CopyPlan> {
  const walk: Walk = { signal, entries: [], ignoreFiles: new Map() };
  const root = await openHostFolder(from);
  try {
    await visit(walk, root, Buffer.alloc(0));
  } finally {
    await root.close();
  }
  const named = new Set<ListEntry>(withoutIgnored(walk.entries, walk.ignoreFiles));
  const isLeft = (entry: CopyEntry): boolean =>
    !named.has(entry) && !isPackages(entry.path) && (entry.kind === 'folder' || entry.sizeBytes >= smallBytes);
  const entries: CopyEntry[] = [];
  const left = { files: 0, bytes: 0, paths: [] as string[] };
  let folder: string | null = null;
  const totals = { files: 0, bytes: 0 };
  for (const entry of walk.entries) {
    const isBelow = folder !== null && entry.path.startsWith(folder);
    if (!isBelow && !isLeft(entry)) entries.push(entry);
    else if (!isBelow) {
      left.paths.push(entry.path);
      if (entry.kind === 'folder') folder = `${entry.path}/`;
    }
    if (entry.kind !== 'file') continue;
    const sum = isBelow || isLeft(entry) ? left : totals;
    sum.files += 1;
    sum.bytes += entry.sizeBytes;
  }
  return { entries, ...totals, leftOut: left };
}

interface Walk {
  readonly signal: AbortSignal;
  readonly entries: CopyEntry[];
  readonly ignoreFiles: Map<string, string>;
}

/** Notes each folder before its contents. Files that vanish meanwhile are left out. */
async function visit(walk: Walk, folder: HostFolder, prefix: Buffer): Promise<void> {
  const found = await readdir(folder.place, { withFileTypes: true, encoding: 'buffer' });
  for (let at = 0; at < found.length; at += atOnce) {
    walk.signal.throwIfAborted();
    const part = found.slice(at, at + atOnce);
    const sizes = await Promise.all(part.map(({ name }) => sizeOf(folder, name)));
    for (const [index, entry] of part.entries()) {
      const sizeBytes = sizes[index] ?? null;
      if (sizeBytes === null) continue;
      const raw = below(prefix, entry.name);
      walk.entries.push({ raw, path: raw.toString(), kind: kindOf(entry), sizeBytes });
      if (entry.isDirectory()) await visitChild(walk, folder, { name: entry.name, raw });
      else if (entry.isFile() && entry.name.equals(ignoreName)) await noteIgnoreFile(walk, folder, prefix.toString());
    }
  }
}

async function visitChild(
  walk: Walk,
  folder: HostFolder,
  { name, raw }: { readonly name: Buffer; readonly raw: Buffer },
): Promise<void> {
  const child = await openChildFolder(folder, name).catch(nullIfGone);
  if (child === null) return;
  try {
    await visit(walk, child, raw);
  } finally {
    await child.close();
  }
}

const ignoreName = Buffer.from('.gitignore');

async function noteIgnoreFile({ ignoreFiles }: Walk, folder: HostFolder, prefix: string): Promise<void> {
  const text = await readRegularFile(folder, '.gitignore', maxIgnoreBytes);
  if (text !== null) ignoreFiles.set(prefix === '' ? '.' : prefix, text.toString());
}

function below(folder: Buffer, name: Buffer): Buffer {
  return folder.length === 0 ? name : Buffer.concat([folder, slash, name]);
}

/** Null: it has vanished meanwhile. */
async function sizeOf(folder: HostFolder, name: Buffer): Promise<number | null> {
  const found = await lstat(pathIn(folder, name)).catch(nullIfGone);
  return found === null ? null : found.size;
}

function isPackages(path: string): boolean {
  return path.split('/').some((name) => isSkippedFolder(name) || isMaybeEnvironment(name));
}
