import { AppError } from '@shared/errors.ts';
import { callModeFor, openFolderBelow, type CallMode } from '../../lib/files/host-folder.ts';
import { findByIdentity, identityOf, isClosedBelow, statsBelow, unknownIdentity } from './file-identity.ts';
import { recallHidden, rememberHidden, type Remembered } from './hidden-memory.ts';
import { joined, namesOf, shownPath } from './repositories/folder-names.ts';
import { isSecret, type Mask } from './workspace-scan.ts';

/** A mask, and what it was found by. */
export type FoundMask = Mask & Pick<Remembered, 'why'>;

export interface StillHiddenQuery {
  /** A real path. */
  readonly workspacePath: string;
  /** The project that the workspace is a copy of. Null: it is no copy. */
  readonly projectPath: string | null;
  readonly homePath: string;
  /** What was found by names and contents now. */
  readonly found: readonly FoundMask[];
  /** The user wants to show this path. */
  readonly isShown: (path: string) => boolean;
  /** A rule of the user hides this path. */
  readonly isMasked: (path: string) => boolean;
  /** Also looks for what was gone at an earlier look. Only the user can have brought it back. */
  readonly seeksAway: boolean;
}

/** A mask for exactly this file or folder. */
export type KnownMask = Mask & Pick<Remembered, 'identity'>;

export interface StillHidden {
  /** None is inside another one. */
  readonly masks: readonly KnownMask[];
  /** What nothing but the memory hides: it was moved since, or has another name. */
  readonly moved: readonly Pick<Remembered, 'path' | 'judgedAs'>[];
  /** Paths that were hidden once, and where nothing is now. */
  readonly away: readonly string[];
}

/**
 * Adds what was hidden before to what was found now, wherever it is, and remembers all of it. Rules depend on names and
 * places, so a rename would show what they hid.
 */
export async function stillHidden(query: StillHiddenQuery, signal: AbortSignal): Promise<StillHidden> {
  const { workspacePath, homePath, found } = query;
  const asking = await callModeFor(workspacePath);
  const before = await recallHidden(homePath, workspacePath);
  const seen = await seenNow(found, workspacePath, asking);
  const place = { workspacePath, asking, seeksAway: query.seeksAway };
  const now = new Set(seen.map(({ identity }) => identity)).add(unknownIdentity);
  const isCovered = insideOf(found);
  const old = before.filter(({ identity }) => !now.has(identity));
  const { placed, away } = await placesOf([...old, ...linked(seen)], place, signal);
  const copied = await movedInOriginal(query, asking, signal);
  const open = [...placed, ...copied].filter(({ path }) => !isCovered(path));
  const after: Remembered[] = [...seen, ...away, ...placed.filter(({ path }) => isCovered(path))]
    .filter(({ identity }) => identity !== unknownIdentity)
    .map(withoutLinks);
  const moved: Remembered[] = [];
  for (const one of open) {
    // The look at names and contents has just judged it by the same path.
    const isJudged = one.path === one.judgedAs;
    const isOff = one.why === 'rule' ? !query.isMasked(one.judgedAs) : query.isShown(one.judgedAs);
    if (isJudged || isOff || query.isShown(one.path)) {
      if (!isJudged || one.why === 'rule') after.push(withoutLinks(one));
    } else if (await holdsSecret(one, workspacePath)) {
      moved.push(one);
      after.push(withoutLinks(one));
    }
  }
  const unnamed = moved.find(({ path }) => path.includes('\0'));
  if (unnamed !== undefined) throw unnamedError(unnamed.path);
  await rememberHidden({ homePath, workspacePath }, { before, after: distinct(after) }, signal);
  const masks = distinct([...seen, ...moved].map(({ path, kind, identity }) => ({ path, kind, identity })));
  const isInside = insideOf(masks);
  return {
    masks: masks.filter(({ path }) => !isInside(parentOf(path))),
    moved,
    away: away.map(({ path }) => path),
  };
}

type Seen = Remembered & { readonly names: number };

/** The identities of what was found. What is gone meanwhile is left out. */
async function seenNow(found: readonly FoundMask[], workspacePath: string, asking: CallMode): Promise<readonly Seen[]> {
  const seen: Seen[] = [];
  for (const { path, kind, why } of found) {
    const stats = await statsBelow(workspacePath, path, asking);
    if (stats === null && !(await isClosedBelow(workspacePath, path))) continue;
    const folder = await folderIdentity(workspacePath, path, asking);
    const [identity, names] = stats === null ? [unknownIdentity, 1] : [identityOf(stats), Number(stats.nlink)];
    seen.push({ path, judgedAs: path, why, kind, identity, folder, isAway: false, names });
  }
  return seen;
}

async function folderIdentity(workspacePath: string, path: string, asking: CallMode): Promise<string> {
  const stats = await statsBelow(workspacePath, parentOf(path), asking);
  return stats === null ? '' : identityOf(stats);
}

/** Files with more names than were found. A hard link shows what another name hides. */
function linked(seen: readonly Seen[]): readonly Remembered[] {
  const count = (identity: string): number => seen.filter((one) => one.identity === identity).length;
  return seen.filter(({ kind, identity, names }) => kind === 'file' && names > 1 && count(identity) < names);
}

interface Place extends Pick<StillHiddenQuery, 'workspacePath' | 'seeksAway'> {
  readonly asking: CallMode;
}

/** Where remembered files and folders are now. Looks through the whole project only for those that are elsewhere. */
async function placesOf(
  remembered: readonly (Remembered & { readonly names?: number })[],
  { workspacePath, asking, seeksAway }: Place,
  signal: AbortSignal,
): Promise<{ readonly placed: readonly Remembered[]; readonly away: readonly Remembered[] }> {
  const placed: Remembered[] = [];
  const lost: Remembered[] = [];
  const away: Remembered[] = [];
  for (const one of remembered) {
    const stats = await statsBelow(workspacePath, one.path, asking);
    const isThere = stats !== null && identityOf(stats) === one.identity;
    if (isThere && one.names === undefined) placed.push({ ...one, isAway: false });
    else if (one.isAway && !seeksAway) away.push(one);
    else lost.push(one);
  }
  if (lost.length === 0) return { placed, away };
  const wanted = new Set(lost.flatMap(({ identity, folder }) => [identity, folder]));
  const places = await findByIdentity({ workspacePath, asking, wanted }, signal);
  for (const one of lost) {
    const paths = [...(places.get(one.identity) ?? [])];
    // Its folder was renamed, and it was written anew.
    if (paths.length === 0)
      for (const folder of places.get(one.folder) ?? []) paths.push(joined(folder, namesOf(one.path).at(-1) ?? ''));
    let isPlaced = false;
    for (const path of paths) {
      const stats = await statsBelow(workspacePath, path, asking);
      if (stats === null || !(stats.isFile() || stats.isDirectory() || stats.isSocket())) continue;
      isPlaced = true;
      const folder = await folderIdentity(workspacePath, path, asking);
      const kind = stats.isDirectory() ? 'folder' : 'file';
      placed.push({ ...one, path, kind, identity: identityOf(stats), folder, isAway: false });
    }
    if (!isPlaced) away.push({ ...one, isAway: true });
  }
  return { placed, away };
}

/** What was moved in the project before it was copied. A copy has other inodes, but the same paths. */
async function movedInOriginal(
  { projectPath, workspacePath, homePath }: StillHiddenQuery,
  asking: CallMode,
  signal: AbortSignal,
): Promise<readonly Remembered[]> {
  if (projectPath === null || projectPath === workspacePath) return [];
  const known = await recallHidden(homePath, projectPath);
  const original = { workspacePath: projectPath, asking: await callModeFor(projectPath), seeksAway: true };
  const { placed } = await placesOf(known, original, signal);
  const moved: Remembered[] = [];
  for (const one of placed) {
    if (one.path === one.judgedAs) continue;
    const stats = await statsBelow(workspacePath, one.path, asking);
    if (stats === null) continue;
    const folder = await folderIdentity(workspacePath, one.path, asking);
    moved.push({ ...one, identity: identityOf(stats), folder });
  }
  return moved;
}

/** Whether a file still contains what it was hidden for. Folders, and what rules hide, stay hidden. */
async function holdsSecret({ path, judgedAs, why, kind }: Remembered, workspacePath: string): Promise<boolean> {
  if (why !== 'secret' || kind === 'folder') return true;
  const names = namesOf(path);
  const folder = await openFolderBelow(workspacePath, names.slice(0, -1));
  if (folder === null) return true;
  return isSecret(folder, names.at(-1) ?? '', judgedAs).finally(() => folder.close());
}

/** Whether a path is one of these masks, or inside one. */
function insideOf(masks: readonly Mask[]): (path: string) => boolean {
  const paths = new Set(masks.map(({ path }) => path));
  return (path) => {
    for (let inside = path; inside !== ''; inside = parentOf(inside)) if (paths.has(inside)) return true;
    return false;
  };
}

function parentOf(path: string): string {
  return namesOf(path).slice(0, -1).join('/');
}

/** The first of those that are the same file at the same path. */
function distinct<One extends KnownMask>(all: readonly One[]): readonly One[] {
  const keyed = [...all].reverse().map((one) => [`${one.identity} ${one.path}`, one] as const);
  return [...new Map(keyed).values()].reverse();
}

function withoutLinks({ path, judgedAs, why, kind, identity, folder, isAway }: Remembered): Remembered {
  return { path, judgedAs, why, kind, identity, folder, isAway };
}

function unnamedError(path: string): AppError {
  return new AppError(
    'refused',
    `This was hidden before and cannot be hidden now, because its name is not UTF-8 text: ${shownPath(path)}.`,
    { hint: 'Rename it, or the folder that it is in.' },
  );
}
