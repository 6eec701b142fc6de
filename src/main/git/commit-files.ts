import type { BlobRef } from '@shared/events/blob-ref.ts';
import type { FileImage } from '@shared/events/tool-events.ts';
import type { PlannedFile } from '@shared/git/commit-plan.ts';
import { isGitName } from '../lib/files/host-folder.ts';
import { mergeTexts } from '../lib/merge-texts.ts';
import { utf8Text } from '../lib/utf8-text.ts';
import { loadGit } from './load-git.ts';
import type { NetChange, OwnChange } from './net-changes.ts';
import type { Repository } from './repository.ts';

/** What a file becomes in a commit. */
export interface CommitFile extends PlannedFile {
  /** Null: the file is deleted, or left out. */
  readonly content: { readonly bytes: Uint8Array; readonly oid: string; readonly mode: string } | null;
}

/** Null: it is missing. */
export type ReadBlob = (ref: BlobRef) => Uint8Array | null;

interface BaseFile {
  readonly bytes: Uint8Array;
  readonly mode: string;
}

const asInGit = {
  same: 'git has it like this already',
  deleted: 'git does not have it, so there is nothing to delete',
};

/** Whether a file is left out because the commit below has it as the session wants it. */
export function isAsInGit({ kind, note }: PlannedFile): boolean {
  return kind === 'left out' && (note === asInGit.same || note === asInGit.deleted);
}

/** What each change becomes on top of a commit. Only the session's own changes are in it. */
export async function commitFiles(
  repository: Repository,
  base: string,
  { changes, read }: { readonly changes: readonly NetChange[]; readonly read: ReadBlob },
): Promise<readonly CommitFile[]> {
  const files: CommitFile[] = [];
  for (const change of changes) files.push(await commitFile(repository, base, { change, read }));
  return files;
}

async function commitFile(
  repository: Repository,
  base: string,
  { change, read }: { readonly change: NetChange; readonly read: ReadBlob },
): Promise<CommitFile> {
  const { path, own } = change;
  const after = own.at(-1)?.after ?? null;
  const leave = (note: string): CommitFile => ({ path, kind: 'left out', note, content: null });
  if (path.split('/').some((name) => isGitName(name) || name === '' || name === '..'))
    return leave('git does not keep this name');
  if (own.some((one) => one.before?.kept === false || one.after?.kept === false))
    return leave('its content was not kept, because it is too large or no file');
  const there = await fileAt(repository, base, path);
  if (there === 'submodule') return leave('it is in a submodule; commit it there');
  if (there === 'link') return leave('it is a link in git');
  if (there !== null && isContentPointer(there.bytes)) return leave('it is in Git LFS; commit it with your own git');
  if (after?.kept !== true) {
    if (there === null) return leave(asInGit.deleted);
    return { path, kind: 'deleted', note: null, content: null };
  }
  const made = allOnTopOf(there, own, read);
  if (made === 'missing') return leave('its stored content is missing or damaged');
  const mode = modeOf(after.mode, there);
  if (made === null) return leave('you have other changes in the same lines that are not committed; commit them first');
  const git = await loadGit();
  const { oid } = await git.hashBlob({ object: made.bytes });
  if (there !== null && there.mode === mode && Buffer.compare(there.bytes, made.bytes) === 0)
    return leave(asInGit.same);
  return {
    path,
    kind: there === null ? 'added' : 'modified',
    note: made.note,
    content: { bytes: made.bytes, oid, mode },
  };
}

/** The file at a commit. Follows nothing out of it. */
export async function fileAt(
  repository: Repository,
  base: string,
  path: string,
): Promise<BaseFile | 'submodule' | 'link' | null> {
  const git = await loadGit();
  let { oid: tree } = await git.readTree({ ...repository.git, oid: base });
  const names = path.split('/');
  for (const [at, name] of names.entries()) {
    const entry = (await git.readTree({ ...repository.git, oid: tree })).tree.find((one) => one.path === name);
    if (entry === undefined) return null;
    if (entry.type === 'commit') return 'submodule';
    if (entry.type === 'tree') {
      if (at === names.length - 1) return null;
      tree = entry.oid;
      continue;
    }
    if (at < names.length - 1) return null;
    if (entry.mode === '120000') return 'link';
    const { blob } = await git.readBlob({ ...repository.git, oid: entry.oid });
    return { bytes: blob, mode: entry.mode };
  }
  return null;
}

/** Git keeps one bit of a mode. On Windows a file has none, so what git has stays. */
function modeOf(mode: number, there: BaseFile | null): string {
  if (process.platform === 'win32' && there !== null) return there.mode;
  return (mode & 0o111) === 0 ? '100644' : '100755';
}

const pointerStart = Buffer.from('version https://git-lfs.github.com/spec/');

/** Whether these bytes only say which content Git LFS has for a file. */
export function isContentPointer(bytes: Uint8Array): boolean {
  return pointerStart.equals(bytes.subarray(0, pointerStart.length));
}

interface Made {
  readonly bytes: Uint8Array;
  readonly note: string | null;
}

/**
 * All changes of the session on top of what git has, and none of those that somebody else made between them. Null: both
 * changed the same lines.
 */
function allOnTopOf(there: BaseFile | null, own: readonly OwnChange[], read: ReadBlob): Made | 'missing' | null {
  let made: Made | null = there === null ? null : { bytes: there.bytes, note: null };
  for (const change of own) {
    const [before, after] = [bytesOf(change.before, read), bytesOf(change.after, read)];
    if (before === 'missing' || after === 'missing') return 'missing';
    const note: string | null = made?.note ?? null;
    if (after === null) {
      made = null;
      continue;
    }
    const next = onTopOf(made?.bytes ?? null, before, after);
    if (next === null) return null;
    made = { bytes: next.bytes, note: next.note ?? note };
  }
  return made;
}

function bytesOf(image: FileImage, read: ReadBlob): Uint8Array | 'missing' | null {
  if (image === null) return null;
  return image.kept ? (read(image.blob) ?? 'missing') : 'missing';
}

/** One change on top of a file. Null: the file differs in the same lines. */
function onTopOf(there: Uint8Array | null, before: Uint8Array | null, after: Uint8Array): Made | null {
  if (there === null)
    return { bytes: after, note: before === null ? null : 'git did not have this file of yours; all of it is added' };
  if (before === null || Buffer.compare(there, before) === 0) return { bytes: after, note: null };
  const [base, from, to] = [there, before, after].map((bytes) => utf8Text(bytes));
  if (typeof base !== 'string' || typeof from !== 'string' || typeof to !== 'string') return null;
  // Git on this machine may keep line ends in another form than the folder has them.
  const plain = (text: string): string => text.replaceAll('\r\n', '\n');
  if (base === plain(from)) return { bytes: Buffer.from(plain(to)), note: null };
  const changed = mergeTexts(plain(from), base, plain(to)) ?? mergeTexts(from, base, to);
  if (changed === null) return null;
  return { bytes: Buffer.from(changed), note: 'your own changes to it that are not committed are not in it' };
}

/** What it takes to have the files that differ at `tip` as they are at `base`. */
export async function filesTakenBack(
  repository: Repository,
  base: string,
  tip: string,
): Promise<readonly CommitFile[]> {
  const git = await loadGit();
  const files: CommitFile[] = [];
  await git.walk({
    ...repository.git,
    trees: [git.TREE({ ref: base }), git.TREE({ ref: tip })],
    map: async (path, [left, right]) => {
      const oids = [(await left?.oid()) ?? null, (await right?.oid()) ?? null] as const;
      if (oids[0] === oids[1] && path !== '.') return null;
      if ([await left?.type(), await right?.type()].includes('tree')) return path;
      const bytes = await left?.content();
      const mode = ((await left?.mode()) ?? 0o100644).toString(8);
      const content = bytes === undefined || oids[0] === null ? null : { bytes, oid: oids[0], mode };
      files.push({
        path,
        kind: content === null ? 'deleted' : 'modified',
        note: 'the session took this back',
        content,
      });
      return null;
    },
  });
  return files;
}

/** Writes the files and the folders above them. Returns the id of the root. */
export async function writeFiles(repository: Repository, from: string, files: readonly CommitFile[]): Promise<string> {
  const git = await loadGit();
  const { oid: root } = await git.readTree({ ...repository.git, oid: from });
  const wanted = new Map<string, CommitFile['content']>();
  for (const { path, kind, content } of files) {
    if (kind === 'left out') continue;
    if (content !== null) await git.writeBlob({ ...repository.git, blob: content.bytes });
    wanted.set(path, content);
  }
  return (await writeFolder(repository, root, wanted)) ?? git.writeTree({ ...repository.git, tree: [] });
}

/** Null: nothing is left in it. */
async function writeFolder(
  repository: Repository,
  oid: string | null,
  wanted: ReadonlyMap<string, CommitFile['content']>,
): Promise<string | null> {
  const git = await loadGit();
  const old = oid === null ? [] : (await git.readTree({ ...repository.git, oid })).tree;
  const entries = new Map(old.map((entry) => [entry.path, entry]));
  const below = new Map<string, Map<string, CommitFile['content']>>();
  for (const [path, content] of wanted) {
    const at = path.indexOf('/');
    if (at >= 0) {
      const name = path.slice(0, at);
      below.set(name, (below.get(name) ?? new Map()).set(path.slice(at + 1), content));
    } else if (content === null) {
      if (entries.get(path)?.type === 'blob') entries.delete(path);
    } else entries.set(path, { path, type: 'blob', oid: content.oid, mode: content.mode });
  }
  for (const [name, inner] of below) {
    const entry = entries.get(name);
    const written = await writeFolder(repository, entry?.type === 'tree' ? entry.oid : null, inner);
    if (written !== null) entries.set(name, { path: name, type: 'tree', oid: written, mode: '040000' });
    else if (entry?.type === 'tree') entries.delete(name);
  }
  return entries.size === 0 ? null : git.writeTree({ ...repository.git, tree: [...entries.values()] });
}
