import { AppError } from '@shared/errors.ts';
import { isSameContent, isSameImage } from '@shared/session/file-change-state.ts';
import type { MadeCommit } from '@shared/git/commit-plan.ts';
import type { FileImage } from '@shared/events/tool-events.ts';
import type { Journal } from '../sessions/journal/journal.ts';

const mostContentBytes = 128_000_000;

/** A file before and after some changes of a session, between which nobody else changed it. */
export interface OwnChange {
  readonly before: FileImage;
  readonly after: FileImage;
}

/** What a session did to one file, oldest first. Between two of them, somebody else changed it. */
export interface NetChange {
  readonly path: string;
  readonly own: OwnChange[];
}

/** From the log alone, whatever was taken, undone or changed in the folder since. */
export async function netChanges(journal: Pick<Journal, 'read'>): Promise<readonly NetChange[]> {
  const changes = new Map<string, OwnChange[]>();
  /** Changes of the project's folder when a copy was taken or that was undone. They repeat what the copy has. */
  const inProject = new Set<number>();
  for await (const event of journal.read()) {
    if (event.type === 'history-copied' && event.changes === 'settled') changes.clear();
    if (event.type !== 'file-changed') continue;
    if (event.by === 'take' || event.undoes.some((seq) => inProject.has(seq))) {
      inProject.add(event.seq);
      continue;
    }
    const { path, before, after } = event;
    const own = changes.get(path) ?? [];
    const last = own.at(-1);
    if (last !== undefined && isSameContent(last.after, before)) own.splice(-1, 1, { before: last.before, after });
    else own.push({ before, after });
    changes.set(path, own);
  }
  return [...changes]
    .filter(([, own]) => !isSameImage(own[0]?.before ?? null, own.at(-1)?.after ?? null))
    .map(([path, own]) => ({ path, own }))
    .sort((left, right) => (left.path < right.path ? -1 : 1));
}

/** How a session notes its commits. `committedBranch` reads it. */
export function commitNotice({ files, branch, commit }: MadeCommit): string {
  return `Committed ${files === 1 ? '1 file' : `${files} files`} on ${branch} (${commit.slice(0, 12)}).`;
}

/** The branch of the session's latest commit, whatever its title is now. A fork has none of its own yet. */
export async function committedBranch(journal: Pick<Journal, 'read'>): Promise<string | null> {
  let branch: string | null = null;
  for await (const event of journal.read()) {
    if (event.type === 'history-copied') branch = null;
    if (event.type !== 'notice-added' || event.code !== 'commit-made') continue;
    branch = /^Committed .+ on (\S+) \([0-9a-f]+\)\.$/u.exec(event.text)?.[1] ?? branch;
  }
  return branch;
}

/** The contents of changes by their hash, in base64. What is missing or damaged is left out. */
export async function contentsOf(
  changes: readonly NetChange[],
  journal: Pick<Journal, 'getBlob'>,
): Promise<Record<string, string>> {
  const images = changes.flatMap(({ own }) => own.flatMap(({ before, after }) => [before, after]));
  const blobs = new Map(images.flatMap((image) => (image?.kept === true ? [[image.blob.sha256, image.blob]] : [])));
  const bytes = [...blobs.values()].reduce((sum, blob) => sum + blob.bytes, 0);
  if (bytes > mostContentBytes)
    throw new AppError(
      'too-large',
      `The session's changes have ${Math.round(bytes / 1_000_000)} MB, which is more than Dewpoint commits at once.`,
      { hint: 'Commit them with your own git. In a session with a copy, take its changes first.' },
    );
  const contents: Record<string, string> = {};
  for (const blob of blobs.values()) {
    const found = await journal.getBlob(blob);
    if (found !== null) contents[blob.sha256] = Buffer.from(found).toString('base64');
  }
  return contents;
}
