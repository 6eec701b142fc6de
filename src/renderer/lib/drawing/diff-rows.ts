import type { HunkState } from '@shared/events/tool-events.ts';
import { withoutEqualEnds } from '@shared/text/equal-line-ends.ts';
import { linePieces } from './display-lines.ts';

/** One row of a unified diff. A very long line becomes several rows, and only the first one has its number. */
export interface DiffRow {
  readonly kind: 'place' | 'same' | 'added' | 'removed';
  readonly before: number | null;
  readonly after: number | null;
  readonly text: string;
}

/** The rows of a unified diff of one file, with line numbers of both sides and without headers. */
export function diffRows(diff: string): readonly DiffRow[] {
  const rows: DiffRow[] = [];
  let before = 0;
  let after = 0;
  let isInBody = false;
  for (const line of withoutEqualEnds(diff.replace(/\n$/u, '')).split('\n')) {
    const place = /^@@ -(\d+)(?:,\d+)? \+(\d+)(?:,\d+)? @@(.*)$/u.exec(line);
    if (place !== null) {
      isInBody = true;
      before = Number(place[1]);
      after = Number(place[2]);
      rows.push({ kind: 'place', before: null, after: null, text: place[3]?.trim() ?? '' });
    } else if (isInBody) {
      const [text = '', ...more] = linePieces(line.startsWith('\\') ? line : line.slice(1));
      if (line.startsWith('+')) rows.push({ kind: 'added', before: null, after: after++, text });
      else if (line.startsWith('-')) rows.push({ kind: 'removed', before: before++, after: null, text });
      else if (line.startsWith('\\')) rows.push({ kind: 'same', before: null, after: null, text });
      else rows.push({ kind: 'same', before: before++, after: after++, text });
      const kind = rows.at(-1)?.kind ?? 'same';
      for (const piece of more) rows.push({ kind, before: null, after: null, text: piece });
    }
  }
  return rows;
}

/** The line number of the first change that is not undone, in the file as it is now; null when there is none. */
export function firstChange(diff: string | null, hunks: readonly HunkState[] = []): number | null {
  let hunk = -1;
  let line = 0;
  for (const row of diffRows(diff ?? '')) {
    if (row.kind === 'place') {
      hunk += 1;
      line = 0;
    } else if (hunks[hunk] !== 'undone' && row.kind !== 'same') {
      // Earlier changes are undone, so the lines up to here are the original ones.
      return row.kind === 'removed' ? Math.max(1, row.before ?? 1) : line + 1;
    }
    line = row.before ?? line;
  }
  return null;
}
