import type { DiffRow } from './diff-rows.ts';

/** A row with both sides of a change; null: that side has no line there. */
export interface SplitRow {
  readonly left: DiffRow | null;
  readonly right: DiffRow | null;
}

/** The rows of a diff side by side. Removed lines are beside the lines that replaced them. */
export function splitRows(rows: readonly DiffRow[]): readonly SplitRow[] {
  const split: SplitRow[] = [];
  let removed: DiffRow[] = [];
  let added: DiffRow[] = [];
  const flush = (): void => {
    for (let at = 0; at < Math.max(removed.length, added.length); at += 1)
      split.push({ left: removed[at] ?? null, right: added[at] ?? null });
    removed = [];
    added = [];
  };
  for (const row of rows) {
    if (row.kind === 'removed') {
      // Earlier added lines belong to the previous change.
      if (added.length > 0) flush();
      removed.push(row);
    } else if (row.kind === 'added') added.push(row);
    else {
      flush();
      split.push({ left: row, right: row });
    }
  }
  flush();
  return split;
}
