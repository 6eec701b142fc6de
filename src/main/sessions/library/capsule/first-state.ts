import type { Stats } from 'node:fs';
import { lstat } from 'node:fs/promises';
import { join } from 'node:path';
import { AppError } from '@shared/errors.ts';
import type { CapsuleLeft } from '@shared/contract/capsules-contract.ts';
import type { BlobRef } from '@shared/events/blob-ref.ts';
import type { FileImage } from '@shared/events/tool-events.ts';
import type { FenceHit, Fences } from '@shared/safety/fences.ts';
import { readFileBelow } from '../../../lib/files/host-folder.ts';
import { askDrive } from '../../../lib/files/served-drives.ts';
import { sha256Of } from '../../../lib/sha256.ts';
import { isMaybeEnvironment, isSkippedFolder } from '../../../sandbox/files/skipped-folders.ts';
import { hiddenAmong, type HiddenFromReading } from '../../../sandbox/read-only/hidden-from-reading.ts';
import { planCopy, type CopyEntry } from '../../../sandbox/workspace/workspace-copy-plan.ts';
import type { Blobs } from '../../blobs/blob-store.ts';
import { capsuleLimits, isPlainPath, type CapsuleFile } from './capsule-file.ts';

/** The folder of a session, and what may be told of it. */
interface FirstStatePlace {
  /** A real path. */
  readonly root: string;
  /** When the session began, in milliseconds since 1970. */
  readonly begunAt: number;
  /** The first content of each file that the session changed. */
  readonly restore: readonly { readonly path: string; readonly image: FileImage }[];
  readonly blobs: Pick<Blobs, 'get'>;
  readonly hidden: HiddenFromReading;
  readonly fences: Fences;
  /** What must stay on this machine of a text. */
  readonly hitsIn: (text: string) => readonly FenceHit[];
  /** What the user leaves out. */
  readonly isLeftOut: (path: string) => boolean;
}

export interface FirstState {
  readonly files: readonly CapsuleFile[];
  readonly left: readonly CapsuleLeft[];
  readonly changedSince: readonly string[];
  /** The bytes of a file by its hash. Null: it is no such file, or it has changed since. */
  readonly bytesOf: (sha256: string) => Promise<Uint8Array | null>;
}

interface Found {
  readonly bytes: Uint8Array;
  readonly canRun: boolean;
  readonly source: string | BlobRef;
}

/**
 * The files of a session as they were before it: as they are now, with what the session changed set back. Nothing that
 * is a secret, or that a rule keeps on this machine, is among them. Rejects with `bad-input` if they are too many.
 */
export async function readFirstState(place: FirstStatePlace, signal: AbortSignal): Promise<FirstState> {
  const { root, restore } = place;
  const plan = await askDrive(root, () => planCopy(root, signal), { signal });
  const { entries, left } = withoutPackages(plan.entries);
  left.push(...plan.leftOut.paths.map((path) => ({ path, why: 'ignored, and large' })));
  const images = new Map(restore.map(({ path, image }) => [path, image]));
  const paths = [...new Set([...entries.map(({ path }) => path), ...images.keys()])].sort();
  const byPath = new Map(entries.map((entry) => [entry.path, entry]));
  const hidden = await hiddenAmong(root, paths, place.hidden);
  const state = { files: [] as CapsuleFile[], sources: new Map<string, Found['source']>(), bytes: 0 };
  const changedSince: string[] = [];
  for (const path of paths) {
    signal.throwIfAborted();
    const image = images.get(path);
    // The session made it.
    if (image === null) continue;
    const why = whyByPath(place, path, { hidden, entry: image === undefined ? byPath.get(path) : undefined });
    const found = why ?? (image === undefined ? await fromDisk(place, path) : await fromImage(place, image));
    const kept = typeof found === 'string' ? found : (whyByContent(place, found.bytes) ?? found);
    if (typeof kept === 'string') left.push({ path, why: kept });
    else {
      if (image === undefined && (await isChangedSince(place, path))) changedSince.push(path);
      const sha256 = sha256Of(kept.bytes);
      state.files.push({ path, sha256, bytes: kept.bytes.length, canRun: kept.canRun });
      state.sources.set(sha256, kept.source);
      state.bytes += kept.bytes.length;
    }
    checkSize(state.files.length, state.bytes);
  }
  return { files: state.files, left, changedSince, bytesOf: (sha256) => bytesAgain(place, state.sources, sha256) };
}

function checkSize(files: number, bytes: number): void {
  if (files <= capsuleLimits.files && bytes <= capsuleLimits.bytes) return;
  throw new AppError(
    'bad-input',
    `The folder of this session does not fit into a capsule: it holds at most ${capsuleLimits.files.toLocaleString('en')} files and 256 MB.`,
    { hint: 'Leave out what the task does not need, for example: --without "data/**"' },
  );
}

const packagesWhy = 'packages or a cache, which can be made again';

/** The folders of packages and caches that a capsule says it left out. The capsule is not trusted. */
export function packagesLeft(left: readonly CapsuleLeft[]): readonly string[] {
  return left.flatMap(({ path, why }) => {
    const name = path.split('/').at(-1) ?? '';
    const isOne = why === packagesWhy && isPlainPath(path) && (isSkippedFolder(name) || isMaybeEnvironment(name));
    return isOne ? [path] : [];
  });
}

/** Packages, caches and the history of git are left out as whole folders. */
function withoutPackages(all: readonly CopyEntry[]): {
  readonly entries: readonly CopyEntry[];
  readonly left: CapsuleLeft[];
} {
  const paths = new Set(all.map(({ path }) => path));
  const left = new Map<string, string>();
  const entries = all.filter(({ path, kind }) => {
    const names = path.split('/');
    const at = names.findIndex((name, index) => {
      if (isSkippedFolder(name)) return true;
      return isMaybeEnvironment(name) && paths.has(`${names.slice(0, index + 1).join('/')}/pyvenv.cfg`);
    });
    if (at < 0) return kind !== 'folder';
    const folder = names.slice(0, at + 1).join('/');
    left.set(folder, names[at] === '.git' ? 'the history of git' : packagesWhy);
    return false;
  });
  return { entries, left: [...left].map(([path, why]) => ({ path, why })) };
}

function whyByPath(
  { fences, isLeftOut }: FirstStatePlace,
  path: string,
  { hidden, entry }: { readonly hidden: ReadonlySet<string>; readonly entry: CopyEntry | undefined },
): string | null {
  if (entry?.kind === 'link') return 'a link';
  if (entry?.kind === 'other') return 'a pipe, a socket or a device';
  if (entry !== undefined && entry.raw.toString() !== entry.path) return 'its name is not text';
  if (!isPlainPath(path)) return 'its name cannot be used everywhere';
  if (hidden.has(path)) return 'it holds secrets, or a rule masks it';
  const fence = fences.ofPath(path);
  if (fence !== null) return `the rule "${fence.rule}" keeps it on this machine`;
  if (isLeftOut(path)) return 'you left it out';
  return (entry?.sizeBytes ?? 0) > capsuleLimits.fileBytes ? 'larger than 16 MB' : null;
}

async function fromDisk({ root }: FirstStatePlace, path: string): Promise<Found | string> {
  const bytes = await readFileBelow(root, path.split('/'), capsuleLimits.fileBytes);
  if (bytes === null) return 'it could not be read';
  const found = await statsOf(root, path);
  return { bytes, canRun: ((found?.mode ?? 0) & 0o100) !== 0, source: path };
}

async function fromImage(
  { blobs }: FirstStatePlace,
  image: Exclude<FileImage | undefined, null | undefined>,
): Promise<Found | string> {
  const bytes = image.kept ? await blobs.get(image.blob) : null;
  if (bytes === null || !image.kept) return 'its first content was not kept';
  if (bytes.length > capsuleLimits.fileBytes) return 'larger than 16 MB';
  return { bytes, canRun: (image.mode & 0o100) !== 0, source: image.blob };
}

function whyByContent({ hitsIn }: FirstStatePlace, bytes: Uint8Array): string | null {
  const [hit] = hitsIn(Buffer.from(bytes).toString('utf8'));
  return hit === undefined ? null : `it holds what a rule keeps on this machine, or a secret: ${hit.rule}`;
}

async function isChangedSince({ root, begunAt }: FirstStatePlace, path: string): Promise<boolean> {
  const found = await statsOf(root, path);
  return found !== null && found.mtimeMs > begunAt;
}

/** Null: it is gone. */
const statsOf = (root: string, path: string): Promise<Stats | null> =>
  askDrive(root, () => lstat(join(root, path)).catch(() => null));

async function bytesAgain(
  { root, blobs }: FirstStatePlace,
  sources: ReadonlyMap<string, Found['source']>,
  sha256: string,
): Promise<Uint8Array | null> {
  const source = sources.get(sha256);
  if (source === undefined) return null;
  if (typeof source !== 'string') return blobs.get(source);
  const bytes = await readFileBelow(root, source.split('/'), capsuleLimits.fileBytes);
  return bytes !== null && sha256Of(bytes) === sha256 ? bytes : null;
}
