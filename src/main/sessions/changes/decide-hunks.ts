import {
  type ChangeState,
  changeStatus,
  changeVersion,
  isSameImage,
  type OtherChange,
} from '@shared/session/file-change-state.ts';
import type { HunkChoice } from '@shared/contract/sessions-contract.ts';
import type { FileImage, HunkChoices, HunkState } from '@shared/events/tool-events.ts';
import { textPair, type TextPair } from '../../lib/files/file-text.ts';
import { sha256Of } from '../../lib/sha256.ts';
import type { Journal } from '../journal/journal.ts';
import { type HunkPlace, hunkPlaces, withHunks } from './hunk-places.ts';
import { mergeImages } from './merge-images.ts';
import { diffImages, type Move, type ReadJournal } from './move-file.ts';

/** A file with more hunks can only be taken or undone as a whole. */
const maxHunks = 200;

/** The hunks of a change, with the decision on each. */
export interface Hunks extends Omit<HunkChoices, 'added' | 'removed' | 'moved'> {
  readonly places: readonly HunkPlace[];
  readonly texts: TextPair & { readonly encode: NonNullable<TextPair['encode']> };
}

/** One decision: it changes a file in the workspace or in the project folder. `mark`: it changes no file. */
export type Decision = Move & {
  readonly hunks?: HunkChoices;
  readonly by: 'undo' | 'take';
  readonly side: 'workspace' | 'project' | 'mark';
  /** An undone change comes back. */
  readonly isBack?: boolean;
  /** It is about single hunks, which are those of the file as the session left it. */
  readonly isOfHunks?: boolean;
};

/**
 * Null if the hunks cannot be decided one by one: there is no diff, too many hunks, another encoding, or they are not
 * those of the log.
 */
export async function readHunks(
  journal: Pick<ReadJournal, 'getBlob'>,
  change: ChangeState,
  diff: string | null,
): Promise<Hunks | null> {
  // A copy holds what somebody else wrote there, and is taken with it.
  if (diff === null || change.others !== undefined || change.undone !== undefined) return null;
  const places = hunkPlaces(diff);
  const choices = change.hunks ?? choicesOfWhole(change, places.length);
  if (places.length === 0 || places.length > maxHunks || places.length !== choices.states.length) return null;
  const before = await bytesOf(journal, choices.from);
  const after = await bytesOf(journal, choices.to);
  if (before === null || after === null) return null;
  const pair = textPair(before, after);
  if (pair === null || pair.encode === null) return null;
  const hunks: Hunks = { ...choices, places, texts: { ...pair, encode: pair.encode } };
  const isAsInLog = change.hunks === undefined || isImageOf(change.after, hunks);
  return isAsInLog ? hunks : null;
}

/** The choices of a change that was decided on as a whole or not at all. */
function choicesOfWhole(change: ChangeState, count: number): Pick<Hunks, 'from' | 'to' | 'base' | 'states'> {
  const { before, after, last } = change;
  const status = changeStatus(change);
  const states = (state: HunkState): HunkState[] => Array.from({ length: count }, () => state);
  if (status === 'undone') return { from: before, to: last.before, base: before, states: states('undone') };
  const isReviewed = status === 'reviewed';
  return { from: before, to: after, base: isReviewed ? after : before, states: states(isReviewed ? 'taken' : 'open') };
}

/** No file counts as an empty one. */
async function bytesOf(journal: Pick<ReadJournal, 'getBlob'>, image: FileImage): Promise<Uint8Array | null> {
  if (image === null) return new Uint8Array();
  return image.kept ? journal.getBlob(image.blob) : null;
}

function isImageOf(image: FileImage, hunks: Hunks): boolean {
  const made = make(hunks, hunks.states, 'kept');
  if (!('bytes' in made)) return isSameImage(made.image, image);
  return image?.kept === true && image.blob.sha256 === sha256Of(made.bytes);
}

type Made = { readonly image: FileImage } | { readonly bytes: Uint8Array; readonly mode: number };

/**
 * The file with all hunks that are not undone (`kept`), or only with the taken ones. It has the mode of the change
 * unless it leaves out open hunks.
 */
function make({ from, to, places, texts }: Hunks, states: readonly HunkState[], which: 'kept' | 'taken'): Made {
  const isIn = (index: number): boolean => (which === 'kept' ? states[index] !== 'undone' : states[index] === 'taken');
  if (!places.some((_, index) => isIn(index))) return { image: from };
  if (places.every((_, index) => isIn(index)) || !from?.kept || !to?.kept) return { image: to };
  const mode = which === 'taken' && states.includes('open') ? from.mode : to.mode;
  return { bytes: texts.encode(withHunks(texts, places, isIn)), mode };
}

/** The decision that leads from the current states to these. Null: nothing changes. */
async function decisionFor(
  journal: Journal,
  change: ChangeState,
  { hunks, states }: { readonly hunks: Hunks; readonly states: readonly HunkState[] },
): Promise<Decision | null> {
  const moved = states.flatMap((state, index) => (state === hunks.states[index] ? [] : [index]));
  if (moved.length === 0) return null;
  const keep = async (made: Made): Promise<FileImage> =>
    'bytes' in made ? { kept: true, blob: await journal.putBlob(made.bytes), mode: made.mode } : made.image;
  const file = await keep(make(hunks, states, 'kept'));
  const base = await keep(make(hunks, states, 'taken'));
  const { from, to } = hunks;
  const { added, removed } = await diffImages(journal, change.path, from, file);
  const choices = { from, to, base, states: [...states], moved, added, removed };
  if (!isSameImage(file, change.after)) {
    const move = { from: change.after, to: file, undoes: change.seqs, hunks: choices };
    return { ...move, by: 'undo', side: 'workspace' };
  }
  // `moved` stays as it was, so that the last undo can still be reverted.
  if (!isCopy(journal))
    return { from: file, to: file, undoes: [], by: 'take', side: 'mark', hunks: keepMoved(choices, change) };
  const isTake = moved.some((index) => states[index] === 'taken');
  const undoes = isTake ? [] : (change.taken?.seqs ?? []);
  return { from: hunks.base, to: base, undoes, hunks: choices, by: isTake ? 'take' : 'undo', side: 'project' };
}

function keepMoved(choices: HunkChoices, { hunks }: ChangeState): HunkChoices {
  return { ...choices, moved: [...(hunks?.moved ?? [])] };
}

export function isCopy(journal: Pick<ReadJournal, 'state'>): boolean {
  const { workspace, projectPath } = journal.state();
  return workspace?.mode === 'copy' && projectPath !== null;
}

/** A decision on single hunks, or a sentence that says why there is none. */
export async function decideHunks(
  journal: Journal,
  change: ChangeState,
  { places, version }: HunkChoice,
  what: 'take' | 'undo',
): Promise<Decision | string> {
  if (version !== changeVersion(change)) return 'it has other changes by now; look at them again';
  const hunks = await hunksOf(journal, change);
  if (hunks === null) return 'its changes can only be decided on together';
  const unknown = places.find((place) => place >= hunks.states.length);
  if (unknown !== undefined) return `it has no hunk ${unknown + 1}`;
  const next = (state: HunkState): HunkState => {
    if (what === 'take') return state === 'open' ? 'taken' : state;
    if (state === 'undone') return 'open';
    // In the project folder itself, taking a hunk only marked it.
    return state === 'taken' && isCopy(journal) ? 'open' : 'undone';
  };
  const states = hunks.states.map((state, place) => (places.includes(place) ? next(state) : state));
  const isMixed = new Set(places.map((place) => hunks.states[place])).size > 1;
  if (isMixed) return 'these hunks are not in the same state; decide on them one after the other';
  const decision = await decisionFor(journal, change, { hunks, states });
  const isBack = places.every((place) => hunks.states[place] === 'undone');
  return decision === null ? 'there is nothing to take of it' : { ...decision, isBack };
}

/** The hunks of a change with the decisions so far, as an undo or take of the whole file finds them. */
async function hunksOf(journal: ReadJournal, change: ChangeState): Promise<Hunks | null> {
  const { from, to } = change.hunks ?? choicesOfWhole(change, 0);
  const { text } = await diffImages(journal, change.path, from, to);
  return readHunks(journal, change, text);
}

/**
 * The choices for a file in which somebody else changed something, too: that is then part of every version of it, so it
 * is no change of the session, and no later decision takes it away. `file`: what the decision leads to. Null: their lines
 * and those of the session cannot be told apart.
 */
export async function hunksBeside(
  journal: Journal,
  change: ChangeState,
  { hunks, other, file }: { readonly hunks: HunkChoices; readonly other: OtherChange; readonly file: FileImage },
): Promise<HunkChoices | null> {
  const images: FileImage[] = [];
  for (const image of [hunks.from, hunks.to, hunks.base]) {
    const merged = await mergeImages(journal, image, other);
    if (typeof merged === 'string') return null;
    images.push(merged.image);
  }
  const [from = null, to = null, base = null] = images;
  const { others: _, undone: __, ...own } = change;
  const { added, removed } = await diffImages(journal, change.path, from, file);
  const beside = { ...hunks, from, to, base, added, removed };
  return (await hunksOf(journal, { ...own, after: file, hunks: beside })) === null ? null : beside;
}

/** What an undo affects: `open` what is still open, `taken` what is in the project, `undone` what comes back. */
export type UndoKind = 'open' | 'taken' | 'undone';

export function undoKind(change: ChangeState): UndoKind | null {
  const { last, hunks } = change;
  const isInProject = last.side === 'project';
  if (hunks === undefined) {
    if (changeStatus(change) === 'pending' && !isInProject) return 'open';
    if (isInProject && !last.isUndo) return 'taken';
    return last.isUndo && (isInProject || !change.reviewed) ? 'undone' : null;
  }
  const wasMoved = (state: HunkState): boolean => hunks.moved.some((place) => hunks.states[place] === state);
  const open = hunks.states.flatMap((state, place) => (state === 'open' ? [place] : []));
  if (open.length > 0) {
    const isTakeUndone = isInProject && last.isUndo && open.every((place) => hunks.moved.includes(place));
    return isTakeUndone ? 'undone' : 'open';
  }
  if (isInProject) return wasMoved('taken') ? 'taken' : null;
  return last.isUndo && wasMoved('undone') ? 'undone' : null;
}

/** The decision for the rest of a file after single hunks were decided. Null: no hunk was decided separately. */
export async function decideRest(
  journal: Journal,
  change: ChangeState,
  what: 'take' | UndoKind,
): Promise<Decision | null> {
  const hunks = change.hunks === undefined ? null : await hunksOf(journal, change);
  if (hunks === null) return null;
  const moved = new Set(change.hunks?.moved);
  const next = (state: HunkState, place: number): HunkState => {
    if (what === 'take') return state === 'open' ? 'taken' : state;
    if (what === 'open') return state === 'open' ? 'undone' : state;
    if (!moved.has(place)) return state;
    if (what === 'taken') return state === 'taken' ? 'open' : state;
    if (change.last.side === 'project') return state === 'open' ? 'taken' : state;
    return state === 'undone' ? 'open' : state;
  };
  const decision = await decisionFor(journal, change, { hunks, states: hunks.states.map(next) });
  return decision && { ...decision, isBack: what === 'undone' };
}
