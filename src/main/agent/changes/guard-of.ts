import type { GuardKind } from '../../safety/guarded-files.ts';
import { guardKind, isTaskAbout, mayBeAdded, mayGainTests } from '../../safety/guarded-files.ts';
import { onlyAddsTests } from '../../safety/only-adds-tests.ts';
import type { Turn } from '../turn/turn.ts';

/** A file before and after a change, if known; `before` null: it does not exist yet. */
export interface Sides {
  readonly before: string | null;
  readonly after: string | null;
}

/**
 * Which approval the change of a file needs; null: none. A guard protects what judges the work, so a test file that
 * this turn created is not guarded, and a feature may bring its own tests.
 */
export function guardOf(
  turn: Pick<Turn, 'task' | 'files'>,
  path: string,
  { isNew, sides = null }: { readonly isNew: boolean; readonly sides?: Sides | null },
): GuardKind | null {
  const kind = guardKind(path);
  if (kind === null || isTaskAbout(turn.task, kind, path)) return null;
  if (kind !== 'test' || !mayBeAdded(path)) return kind;
  if (isNew || isMadeHere(turn, path)) return null;
  const { before = null, after = null } = sides ?? {};
  const isAddition = before !== null && after !== null && mayGainTests(turn.task) && onlyAddsTests(before, after);
  return isAddition ? null : kind;
}

function isMadeHere({ files: { changes } }: Pick<Turn, 'files'>, path: string): boolean {
  const first = changes.recorded().find((change) => change.path === path);
  return first !== undefined && first.before === null;
}
