import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { structuredPatch } from 'diff';
import { z } from 'zod';
import type { SessionEvent } from '@shared/events/events.ts';
import { filesBelow } from './files-below.ts';
import type { TaskRecord } from './results.ts';
import type { BenchRow } from './rows.ts';
import { shortModel } from './summary.ts';

/** Original lines of a file that a solution changes, counted from 1. Added lines come after `line`. */
export interface Place {
  readonly path: string;
  readonly line: number;
}

/** The lines of `project/` that `solution/` changes. Empty if the task has no solution. */
export async function changedPlaces(projectFolder: string, solutionFolder: string): Promise<readonly Place[]> {
  const places: Place[] = [];
  for (const path of await filesBelow(solutionFolder).catch(() => [])) {
    const before = await readFile(join(projectFolder, path), 'utf8').catch(() => null);
    if (before === null) continue;
    const after = await readFile(join(solutionFolder, path), 'utf8');
    places.push(...changedLines(before, after).map((line) => ({ path, line })));
  }
  return places;
}

function changedLines(before: string, after: string): readonly number[] {
  const { hunks } = structuredPatch('', '', before, after, '', '', { context: 0 });
  return hunks.flatMap(({ oldStart, oldLines }) =>
    // For added lines only, the library counts from the line after the change.
    oldLines === 0 ? [oldStart - 1] : Array.from({ length: oldLines }, (_, index) => oldStart + index),
  );
}

const locatedSchema = z.object({
  suspects: z.array(z.object({ path: z.string(), line: z.number(), endLine: z.number(), kind: z.string() })),
  missing: z.array(z.string()),
});

/**
 * The rank of the first suspect that contains a line changed by the solution. 1 is the first, null means none of them.
 * Undefined if nothing was searched, or if code is missing and must be written rather than found. A class stands for
 * the lines outside its methods.
 */
export function rankOf(events: readonly SessionEvent[], places: readonly Place[]): number | null | undefined {
  const data = events.find((event) => event.type === 'recipe-progressed' && event.phase === 'locate');
  const located = locatedSchema.safeParse(data?.type === 'recipe-progressed' ? data.data : null);
  if (!located.success || located.data.missing.length > 0 || places.length === 0) return undefined;
  const { suspects } = located.data;
  const holds = (suspect: (typeof suspects)[number], { path, line }: Place): boolean =>
    suspect.path === path && suspect.line <= line && line <= suspect.endLine;
  const isIn = (suspect: (typeof suspects)[number], place: Place): boolean =>
    holds(suspect, place) &&
    (suspect.kind !== 'class' || !suspects.some((one) => one.kind !== 'class' && holds(one, place)));
  const index = suspects.findIndex((suspect) => places.some((place) => isIn(suspect, place)));
  return index < 0 ? null : index + 1;
}

/** Of the tasks that have a rank, how many have at most this rank. Figures without a target. */
export function locatedRows(records: readonly TaskRecord[]): readonly BenchRow[] {
  const ranked = records.filter(({ rank, strategy }) => rank !== undefined && strategy === 'recipe');
  const nameOf = ({ model, kind }: TaskRecord): string => `${shortModel(model)} recipe, ${kind}`;
  return [...new Set(ranked.map(nameOf))].map((name) => {
    const own = ranked.filter((record) => nameOf(record) === name);
    const within = (most: number): number => own.filter(({ rank }) => (rank ?? Infinity) <= most).length;
    return {
      figure: `${name}: the faulty place is among the first three suspects`,
      value: (100 * within(3)) / own.length,
      unit: '%',
      target: null,
      note: `first ${within(1)}, three ${within(3)}, five ${within(5)}, twelve ${within(12)} of ${own.length}`,
    };
  });
}
