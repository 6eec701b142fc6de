import { sep } from 'node:path';
import { AppError } from '@shared/errors.ts';
import { callModeFor, openFolderBelow, type CallMode } from '../../lib/files/host-folder.ts';
import { projectKey } from '../../lib/files/project-key.ts';
import {
  findFiles,
  identityOf,
  isClosedBelow,
  printOf,
  statsAt,
  statsBelow,
  unknownIdentity,
  type FoundFiles,
} from './file-identity.ts';
import { recallHidden, rememberHidden, type HiddenPath } from './hidden-memory.ts';
import { childPath, namesOf, shownPath } from './repositories/folder-names.ts';
import { isHarmlessPath } from './secret-files.ts';
import { isSecret, type Mask } from './workspace-scan.ts';

/** A mask, and what it was found by. */
export type FoundMask = Mask & Pick<HiddenPath, 'why'>;

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
  /** Also looks for what was gone at an earlier look, for what was hidden elsewhere, and for copies of it. */
  readonly seeksAway: boolean;
  /** When the session began to look. A copy with the name of an example is hidden if it is newer. Null: none is. */
  readonly since: number | null;
}

/** A mask for exactly this file or folder. */
export type KnownMask = Mask & Pick<HiddenPath, 'identity'>;

export interface StillHidden {
  /** None is inside another one. */
  readonly masks: readonly KnownMask[];
  /** What nothing but the memory hides: it was moved since, or has another name. */
  readonly moved: readonly { readonly path: string; readonly judgedAs: string }[];
  /** Paths that were hidden once, and where nothing is now. */
  readonly away: readonly string[];
}

/**
 * Adds what was hidden before to what was found now, wherever it is, and remembers all of it. Rules depend on names and
 * places, so a rename, a copy, or a look through another folder would show what they hid.
 */
export async function stillHidden(query: StillHiddenQuery, signal: AbortSignal): Promise<StillHidden> {
  const { workspacePath, homePath, found } = query;
  const view = await viewOf(query);
  const remembered = await recallHidden(homePath);
  const seen = (await seenNow(found, view)).map((one) => asJudgedFirst(one, remembered));
  const now = new Set(seen.map(({ identity }) => identity)).add(unknownIdentity);
  const old = remembered.filter(({ identity }) => !now.has(identity));
  const { placed, away, copied } = await placesOf({ old, seen, remembered }, view, signal);
  const inOriginal = await movedInOriginal(remembered, view, signal);
  const isCovered = insideOf(found);
  const after: HiddenPath[] = [...seen, ...away, ...placed.filter(({ path }) => isCovered(path))]
    .filter(({ identity }) => identity !== unknownIdentity)
    .map(withoutPath);
  const moved: Sighting[] = [];
  for (const one of [...placed, ...inOriginal, ...copied].filter(({ path }) => !isCovered(path))) {
    if (isLetOff(one, view)) {
      if (!isJudged(one) || one.why === 'rule' || !isOwn(one, view)) after.push(withoutPath(one));
    } else if (await holdsSecret(one, workspacePath)) {
      moved.push(one);
      after.push(withoutPath(one));
    }
  }
  const unnamed = moved.find(({ path }) => path.includes('\0'));
  if (unnamed !== undefined) throw unnamedError(unnamed.path);
  const gone = await goneFrom(remembered, after, view);
  await rememberHidden({ homePath, workspacePath: view.root }, { gone, fresh: distinct(after) }, signal);
  const masks = distinct([...seen, ...moved].map(({ path, kind, identity }) => ({ path, kind, identity })));
  const isInside = insideOf(masks);
  return {
    masks: masks.filter(({ path }) => !isInside(parentOf(path))),
    moved: moved.map((one) => ({ path: one.path, judgedAs: isOwn(one, view) ? one.judgedAs : judgedPlace(one) })),
    away: away.map(({ path }) => path),
  };
}

/** The project as it is looked at now. */
interface View extends StillHiddenQuery {
  /** The workspace, in the one spelling by which places are remembered. */
  readonly root: string;
  /** The project that it is a copy of, likewise. Null: it is no copy. */
  readonly original: string | null;
  readonly asking: CallMode;
}

async function viewOf(query: StillHiddenQuery): Promise<View> {
  const { workspacePath, projectPath } = query;
  const original = projectPath === null || projectPath === workspacePath ? null : await placeOfFolder(projectPath);
  return { ...query, root: await placeOfFolder(workspacePath), original, asking: await callModeFor(workspacePath) };
}

async function placeOfFolder(path: string): Promise<string> {
  return (await projectKey(path)).split(sep).join('/');
}

/** A remembered file or folder at a path of the workspace. */
type Sighting = HiddenPath & { readonly path: string };
type Seen = Sighting & { readonly names: number };

/** What was found, with what is needed to find it again. What is gone meanwhile is left out. */
async function seenNow(found: readonly FoundMask[], view: View): Promise<readonly Seen[]> {
  const { workspacePath, asking, root } = view;
  const seen: Seen[] = [];
  for (const { path, kind, why } of found) {
    const stats = await statsBelow(workspacePath, path, asking);
    if (stats === null && !(await isClosedBelow(workspacePath, path))) continue;
    const facts = { path, place: childPath(root, path), project: root, judgedAs: path, why, kind, isAway: false };
    const folder = await folderIdentity(workspacePath, path, asking);
    if (stats === null) seen.push({ ...facts, identity: unknownIdentity, folder, print: null, names: 1 });
    else {
      const print = why === 'secret' && stats.isFile() ? await printBelow(workspacePath, path, stats.size) : null;
      seen.push({ ...facts, identity: identityOf(stats), folder, print, names: Number(stats.nlink) });
    }
  }
  return seen;
}

/**
 * What was moved keeps the path by which it was judged first: through a folder in the project, a name may look like one to
 * hide that looks harmless from outside.
 */
function asJudgedFirst(one: Seen, remembered: readonly HiddenPath[]): Seen {
  const first = remembered.find(({ identity, why }) => identity === one.identity && why === one.why);
  if (first === undefined || judgedPlace(first) === one.place) return one;
  return { ...one, project: first.project, judgedAs: first.judgedAs };
}

async function printBelow(root: string, path: string, sizeBytes: bigint): Promise<string | null> {
  const folder = await openFolderBelow(root, namesOf(parentOf(path)));
  if (folder === null) return null;
  return printOf(folder, namesOf(path).at(-1) ?? '', sizeBytes).finally(() => folder.close());
}

async function folderIdentity(workspacePath: string, path: string, asking: CallMode): Promise<string> {
  const stats = await statsBelow(workspacePath, parentOf(path), asking);
  return stats === null ? '' : identityOf(stats);
}

/** Files with more names than were found. A hard link shows what another name hides. */
function linked(seen: readonly Seen[]): readonly Seen[] {
  const count = (identity: string): number => seen.filter((one) => one.identity === identity).length;
  return seen.filter(({ kind, identity, names }) => kind === 'file' && names > 1 && count(identity) < names);
}

interface Known {
  /** What was remembered and not found now. */
  readonly old: readonly HiddenPath[];
  readonly seen: readonly Seen[];
  readonly remembered: readonly HiddenPath[];
}

interface Places {
  readonly placed: readonly Sighting[];
  readonly away: readonly Sighting[];
  readonly copied: readonly Sighting[];
}

/**
 * Where remembered files and folders are now, and copies of them. Looks through the whole workspace only at the first look
 * of a session, for those that are elsewhere, and for copies of what has new content.
 */
async function placesOf({ old, seen, remembered }: Known, view: View, signal: AbortSignal): Promise<Places> {
  const { workspacePath, asking, seeksAway, root } = view;
  const placed: Sighting[] = [];
  const lost: HiddenPath[] = [...linked(seen)];
  const away: Sighting[] = [];
  for (const one of old) {
    const path = pathBelow(root, one.place);
    const stats = path === null ? null : await statsBelow(workspacePath, path, asking);
    if (path !== null && stats !== null && identityOf(stats) === one.identity) {
      placed.push({ ...one, path, isAway: false });
      // It may have other names, too.
      if (stats.isFile() && stats.nlink > 1n) lost.push(one);
    } else if (seeksAway || (path !== null && !one.isAway)) lost.push(one);
    else if (path !== null) away.push({ ...one, path });
  }
  const owners = printsOf([...seen, ...old.filter((one) => !isShownByPerson(one, view))]);
  const earlier = new Set(remembered.map(({ identity, print }) => `${identity} ${print}`));
  const isNew = seen.some(({ identity, print }) => print !== null && !earlier.has(`${identity} ${print}`));
  if (lost.length === 0 && !isNew && !(seeksAway && owners.size > 0)) return { placed, away, copied: [] };
  const wanted = new Set([...lost, ...placed, ...seen].flatMap(({ identity, folder }) => [identity, folder]));
  const found = await findFiles({ workspacePath, asking, wanted, prints: new Set(owners.keys()) }, signal);
  for (const one of lost) {
    const again = await sightingsOf(one, found, view);
    placed.push(...again);
    const path = pathBelow(root, one.place);
    const isPlaced = again.length > 0 || placed.some(({ place }) => place === one.place);
    if (!isPlaced && path !== null) away.push({ ...withoutPath(one), path, isAway: true });
  }
  const copied: Sighting[] = [];
  for (const { path, print, changedAtMs } of found.copies) {
    const of = owners.get(print);
    const isExample = isHarmlessPath(path) && (view.since === null || changedAtMs < view.since);
    if (of === undefined || isExample) continue;
    copied.push(...(await sightingsAt([path], { ...of, why: 'secret' }, view)));
  }
  return { placed, away, copied };
}

/** The first of each that has a print. */
function printsOf(all: readonly HiddenPath[]): ReadonlyMap<string, HiddenPath> {
  return new Map([...all].reverse().flatMap((one) => (one.print === null ? [] : [[one.print, one] as const])));
}

function sightingsOf(one: HiddenPath, { places }: FoundFiles, view: View): Promise<readonly Sighting[]> {
  const paths = (places.get(one.identity) ?? []).filter((path) => path !== '');
  if (paths.length > 0) return sightingsAt(paths, one, view);
  // Its folder was renamed, and it was written anew.
  const name = namesOf(one.place).at(-1) ?? '';
  return sightingsAt(
    (places.get(one.folder) ?? []).map((folder) => childPath(folder, name)),
    one,
    view,
  );
}

async function sightingsAt(paths: readonly string[], one: HiddenPath, view: View): Promise<readonly Sighting[]> {
  const { workspacePath, asking, root } = view;
  const sightings: Sighting[] = [];
  for (const path of paths) {
    const stats = await statsBelow(workspacePath, path, asking);
    if (stats === null || !(stats.isFile() || stats.isDirectory() || stats.isSocket())) continue;
    const folder = await folderIdentity(workspacePath, path, asking);
    const kind = stats.isDirectory() ? 'folder' : 'file';
    const at = { path, place: childPath(root, path), identity: identityOf(stats), folder, kind } as const;
    sightings.push({ ...withoutPath(one), ...at, isAway: false });
  }
  return sightings;
}

/** What was moved in the project before it was copied. A copy has other inodes, but the same paths. */
async function movedInOriginal(
  remembered: readonly HiddenPath[],
  view: View,
  signal: AbortSignal,
): Promise<readonly Sighting[]> {
  const { original } = view;
  if (original === null) return [];
  const asking = await callModeFor(original);
  const place = { ...view, workspacePath: original, root: original, original: null, seeksAway: true, asking };
  const { placed } = await placesOf({ old: remembered, seen: [], remembered }, place, signal);
  const moved: Sighting[] = [];
  for (const one of placed.filter((each) => !isLetOff(each, place)))
    moved.push(...(await sightingsAt([one.path], one, view)));
  return moved;
}

/** What is no longer to be remembered as it was: it is known anew, or it was in this workspace and is free now. */
async function goneFrom(
  remembered: readonly HiddenPath[],
  after: readonly HiddenPath[],
  { root, asking }: View,
): Promise<readonly HiddenPath[]> {
  const kept = new Set(after.map(({ identity }) => identity));
  const gone: HiddenPath[] = [];
  for (const one of remembered) {
    if (pathBelow(root, one.place) !== null) gone.push(one);
    else if (kept.has(one.identity)) {
      // The same file may have a name there, too.
      const stats = await statsAt(one.place, asking);
      if (stats === null || identityOf(stats) !== one.identity) gone.push(one);
    }
  }
  return gone;
}

/** The path of a place in a folder. Null: it is not in it. */
function pathBelow(root: string, place: string): string | null {
  return place.startsWith(`${root}/`) ? place.slice(root.length + 1) : null;
}

function judgedPlace({ project, judgedAs }: HiddenPath): string {
  return childPath(project, judgedAs);
}

/** The look at names and contents has judged it by the same path. */
function isJudged(one: HiddenPath): boolean {
  return one.place === judgedPlace(one);
}

/** It was found in this project, or in the one that this is a copy of. */
function isOwn({ project }: HiddenPath, { root, original }: View): boolean {
  return project === root || project === original;
}

function isShownByPerson(one: HiddenPath, view: View): boolean {
  return isOwn(one, view) && view.isShown(one.judgedAs);
}

/** Whether it is not to be hidden now: rules of this project say so, or the person. */
function isLetOff(one: Sighting, view: View): boolean {
  if (view.isShown(one.path)) return true;
  // A rule of another project is not known here, so what it hid stays hidden.
  if (one.why === 'rule') return isOwn(one, view) && (isJudged(one) || !view.isMasked(one.judgedAs));
  return isJudged(one) || isShownByPerson(one, view);
}

/** Whether a file still contains what it was hidden for. Folders, and what rules hide, stay hidden. */
async function holdsSecret({ path, judgedAs, why, kind }: Sighting, workspacePath: string): Promise<boolean> {
  if (why !== 'secret' || kind === 'folder') return true;
  const names = namesOf(path);
  const folder = await openFolderBelow(workspacePath, names.slice(0, -1));
  if (folder === null) return true;
  return isSecret(folder, names.at(-1) ?? '', judgedAs).finally(() => folder.close());
}

/** Whether a path is one of these masks, or inside one. */
export function insideOf(masks: readonly Mask[]): (path: string) => boolean {
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
function distinct<One extends { readonly identity: string } & ({ readonly path: string } | { readonly place: string })>(
  all: readonly One[],
): readonly One[] {
  const placeOf = (one: One): string => ('place' in one ? one.place : one.path);
  const keyed = [...all].reverse().map((one) => [`${one.identity} ${placeOf(one)}`, one] as const);
  return [...new Map(keyed).values()].reverse();
}

function withoutPath(one: HiddenPath): HiddenPath {
  const { place, project, judgedAs, why, kind, identity, folder, print, isAway } = one;
  return { place, project, judgedAs, why, kind, identity, folder, print, isAway };
}

function unnamedError(path: string): AppError {
  return new AppError(
    'refused',
    `This was hidden before and cannot be hidden now, because its name is not UTF-8 text: ${shownPath(path)}.`,
    { hint: 'Rename it, or the folder that it is in.' },
  );
}
