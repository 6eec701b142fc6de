import { z } from 'zod';
import { gateCheckSchema } from '@shared/events/gate-check.ts';
import type { ChangedText, Finding } from './change-findings.ts';
import { findingsOf } from './change-findings.ts';
import { missingWishes } from './missing-wishes.ts';
import type { RecordedChange } from '../changes/file-changes.ts';
import { loadSyntax } from '../../recipes/code/code-syntax.ts';
import { textPair } from '../../lib/files/file-text.ts';
import { diffHead, diffHunks } from '../../lib/unified-diff.ts';
import { takeAction } from '../turn/take-action.ts';
import type { ActingTurn, Turn } from '../turn/turn.ts';

const changesOverviewSchema = z.object({
  /** The number of files that differ from the start of the turn. */
  changed: z.number(),
  findings: gateCheckSchema.shape.findings,
  diff: z.string(),
  /** The present text of changed files that are short enough to show whole. */
  files: z.array(z.object({ path: z.string(), text: z.string() })).optional(),
});
export type ChangesOverview = z.infer<typeof changesOverviewSchema>;

const nothing: ChangesOverview = { changed: 0, findings: [], diff: '' };
/** The most characters kept of all diffs together, and limits for the files that are examined. */
const MAX_DIFF_CHARACTERS = 14_000;
const MAX_FILES = 40;
const MAX_BYTES = 512 * 1024;
const MAX_EDITS = 2_000;
/** A file up to this size is shown whole beside the diff, up to a total for all files. */
const WHOLE_CHARACTERS = { file: 3_500, all: 7_000 } as const;

/**
 * What the turn has changed so far, as a diff, and what looks wrong with it. Runs as an action, because a replay has no
 * files and takes it from the log.
 */
export function readChangesOverview(turn: ActingTurn & Pick<Turn, 'files' | 'task'>): Promise<ChangesOverview> {
  return takeAction<ChangesOverview>(
    turn,
    {
      tool: 'look_at_changes',
      label: 'review the changes',
      input: {},
      run: async () => {
        const data = await readChanges(turn);
        const files = data.changed === 1 ? '1 file is' : `${data.changed} files are`;
        return {
          status: 'ok',
          output: [`${files} other than before.`, ...data.findings.map(({ text }) => text)].join('\n'),
          data,
        };
      },
    },
    (data) => (data === null ? nothing : changesOverviewSchema.parse(data)),
  );
}

async function readChanges(turn: Pick<Turn, 'files' | 'dependencies' | 'signal' | 'task'>): Promise<ChangesOverview> {
  const firsts = firstChangePerFile(turn);
  const changed: string[] = [];
  const texts: ChangedText[] = [];
  for (const [path, { before }] of firsts) {
    const now = await turn.dependencies.sandbox.files.read(path, { maxBytes: MAX_BYTES }, turn.signal);
    // A file that was changed and changed back counts as unchanged.
    if ((before?.kept === true ? before.blob.sha256 : null) === (now.ok ? now.value.sha256 : null) && isKnown(before))
      continue;
    changed.push(path);
    if (texts.length >= MAX_FILES || (!now.ok && now.error.code !== 'not-found')) continue;
    const left = await bytesBefore(turn, before);
    const right = now.ok ? now.value.bytes : null;
    const pair = left === undefined ? null : textPair(left, right);
    if (pair === null) continue;
    texts.push({ path, before: left === null ? null : pair.before, after: right === null ? null : pair.after });
  }
  const findings: Finding[] = [];
  if (texts.length > 0) {
    const syntax = await loadSyntax();
    findings.push(...texts.flatMap((text) => findingsOf(text, syntax)));
    // Only if every changed file was examined.
    if (texts.length === changed.length) findings.push(...missingWishes(turn.task, texts));
  }
  const shown = texts.map(diffOf).join('\n');
  const isCut = shown.length > MAX_DIFF_CHARACTERS;
  return {
    changed: changed.length,
    findings,
    files: wholeFiles(texts),
    diff: isCut ? `${shown.slice(0, MAX_DIFF_CHARACTERS)}\n… (the rest of the diff is left out)` : shown,
  };
}

/** New files are left out: the diff has all of them. */
function wholeFiles(texts: readonly ChangedText[]): { path: string; text: string }[] {
  const files: { path: string; text: string }[] = [];
  let left: number = WHOLE_CHARACTERS.all;
  for (const { path, before, after } of texts) {
    if (before === null || after === null || after.length > Math.min(left, WHOLE_CHARACTERS.file)) continue;
    left -= after.length;
    files.push({ path, text: after });
  }
  return files;
}

/** Each path with its first change in the turn, whose `before` is the file at the start of the turn. */
export function firstChangePerFile(turn: Pick<Turn, 'files'>): ReadonlyMap<string, RecordedChange> {
  const firsts = new Map<string, RecordedChange>();
  for (const change of turn.files.changes.recorded()) if (!firsts.has(change.path)) firsts.set(change.path, change);
  return firsts;
}

function isKnown(image: RecordedChange['before']): boolean {
  return image === null || image.kept;
}

/** `undefined`: the file is too large, or was not kept. */
async function bytesBefore(
  turn: Pick<Turn, 'dependencies'>,
  image: RecordedChange['before'],
): Promise<Uint8Array | null | undefined> {
  if (image === null) return null;
  if (!image.kept || image.blob.bytes > MAX_BYTES) return undefined;
  return (await turn.dependencies.journal.getBlob(image.blob)) ?? undefined;
}

function diffOf({ path, before, after }: ChangedText): string {
  const hunks = diffHunks(before ?? '', after ?? '', { context: 3, maxEditLength: MAX_EDITS });
  return hunks === null ? `${path}: too different to show.` : diffHead(path, before, after) + hunks;
}
