import type { ReactNode } from 'react';
import { useCallback, useEffect, useMemo, useState } from 'react';
import { seenLine } from '@shared/text/seen-text.ts';
import type { DiffRow } from '../../lib/drawing/diff-rows.ts';
import { diffRows } from '../../lib/drawing/diff-rows.ts';
import type { CodeRun } from '../../lib/drawing/highlight.ts';
import { highlight } from '../../lib/drawing/highlight.ts';
import { splitRows } from '../../lib/drawing/split-rows.ts';
import { t } from '../../lib/text/translate.ts';
import { Icon } from '../layout/icon.tsx';
import { LongLines } from './long-lines.tsx';
import { SeenPieces } from './seen-text.tsx';
import { coloredRuns } from './code-lines.tsx';

interface DiffViewProps {
  readonly diff: string;
  /** The word for a fence; empty (the default): no colors. */
  readonly language?: string;
  /** Shows both sides beside each other. */
  readonly isSplit?: boolean;
  /** The user wants to comment on a line. */
  readonly onComment?: (line: number) => void;
  /** The header of a hunk, by its index. */
  readonly headOf?: (hunk: number) => ReactNode;
  /** Whether a hunk was undone, so that it is no longer in the file. */
  readonly isUndone?: (hunk: number) => boolean;
}

const rowLooks = { place: 'bg-sunken text-soft', same: '', added: 'bg-added', removed: 'bg-removed' } as const;
const signs = { place: '', same: ' ', added: '+', removed: '−' } as const;

/** A diff. Added and removed lines differ in sign and color, and no character in a line can hide or reorder text. */
export function DiffView({ diff, language = '', isSplit = false, onComment, headOf, isUndone }: DiffViewProps) {
  const rows = useMemo(() => diffRows(diff), [diff]);
  const pairs = useMemo(() => (isSplit ? splitRows(rows) : null), [rows, isSplit]);
  const colors = useDiffColors(rows, language);
  const hasHunks = headOf !== undefined || isUndone !== undefined;
  const hunks = useMemo(() => (hasHunks ? hunksOf(rows) : null), [rows, hasHunks]);
  const count = pairs?.length ?? rows.length;
  const lengthOf = useCallback(
    (index: number) => {
      const pair = pairs?.[index];
      if (pair === undefined) return rows[index]?.text.length ?? 0;
      return 2 * Math.max(pair.left?.text.length ?? 0, pair.right?.text.length ?? 0);
    },
    [rows, pairs],
  );
  const draw = (index: number): ReactNode => {
    const pair = pairs?.[index];
    const row = rows[index];
    const head = pairs === null ? row : pair?.left;
    const hunk = hunks?.get(head ?? pair?.right ?? row);
    const isOut = hunk !== undefined && isUndone?.(hunk) === true;
    if (head?.kind === 'place' && headOf !== undefined)
      return <div className={`flex items-center gap-2 px-2.5 py-1 ${rowLooks.place}`}>{headOf(hunk ?? 0)}</div>;
    const rest = { colors, isOut, onComment: isOut ? undefined : onComment };
    if (pairs === null || head?.kind === 'place') return head && <Row row={head} {...rest} />;
    return (
      <div className="grid grid-cols-2">
        <Side row={pair?.left ?? null} side="before" {...rest} onComment={undefined} />
        <Side row={pair?.right ?? null} side="after" {...rest} />
      </div>
    );
  };
  return (
    <div data-diff={isSplit ? 'split' : 'unified'} className="overflow-hidden rounded-lg border border-line">
      <LongLines count={count} lengthOf={lengthOf} isWrapped className="max-h-[70vh]" draw={draw} />
    </div>
  );
}

/** The index of each row's hunk. */
function hunksOf(rows: readonly DiffRow[]): ReadonlyMap<DiffRow | undefined, number> {
  let hunk = -1;
  return new Map(rows.map((row) => [row, row.kind === 'place' ? (hunk += 1) : hunk]));
}

type Colors = ReadonlyMap<DiffRow, readonly CodeRun[]> | null;

interface RowProps {
  readonly row: DiffRow;
  readonly side?: 'before' | 'after';
  readonly colors: Colors;
  /** Its hunk was undone. */
  readonly isOut: boolean;
  readonly onComment?: ((line: number) => void) | undefined;
}

function Side({ row, ...props }: Omit<RowProps, 'row'> & { readonly row: DiffRow | null }) {
  return row === null ? <div className="bg-sunken" /> : <Row row={row} {...props} />;
}

function Row({ row, side, colors, isOut, onComment }: RowProps) {
  const line = side === undefined ? (row.after ?? row.before) : row[side];
  return (
    <div
      className={`group/row flex min-w-0 whitespace-pre-wrap ${isOut ? 'text-soft' : ''} ${isOut && row.kind !== 'place' ? '' : rowLooks[row.kind]}`}
    >
      {row.kind !== 'place' && (
        <span className="relative w-9 shrink-0 pr-2 text-right text-xs leading-[inherit] text-soft select-none">
          <span aria-hidden="true">{line ?? ''}</span>
          {onComment !== undefined && row.after !== null && (
            <button
              type="button"
              aria-label={t('changes.comment', { line: row.after })}
              title={t('changes.comment', { line: row.after })}
              onClick={() => onComment(row.after ?? 0)}
              className="absolute inset-0 flex items-center justify-center rounded bg-chosen text-ink opacity-0 group-hover/row:opacity-100 focus-visible:opacity-100"
            >
              <Icon name="plus" className="size-3" />
            </button>
          )}
        </span>
      )}
      <span className={`shrink-0 select-none ${row.kind === 'place' ? 'w-9' : 'w-4'}`}>{signs[row.kind]}</span>
      <span className="min-w-0 flex-1 pr-3 wrap-anywhere">
        <Text row={row} runs={isOut ? undefined : colors?.get(row)} />
      </span>
    </div>
  );
}

/** Colors only lines without deceptive characters. Marks for such characters need the plain line. */
function Text({ row, runs }: { readonly row: DiffRow; readonly runs: readonly CodeRun[] | undefined }) {
  const pieces = useMemo(() => seenLine(row.text), [row.text]);
  if (runs === undefined || pieces.some(({ kind }) => kind !== 'plain')) return <SeenPieces pieces={pieces} />;
  return coloredRuns(runs);
}

/** The colors of each row. Each side is tokenized as its own code. Null until they are ready. */
function useDiffColors(rows: readonly DiffRow[], language: string): Colors {
  const [found, setFound] = useState<{ readonly rows: readonly DiffRow[]; readonly colors: Colors } | null>(null);
  useEffect(() => {
    let isWanted = language !== '';
    const read = async (): Promise<void> => {
      const colors = new Map<DiffRow, readonly CodeRun[]>();
      for (const hidden of ['added', 'removed'] as const) {
        const side = rows.filter(({ kind }) => kind !== hidden && kind !== 'place');
        const lines = await highlight(side.map(({ text }) => text).join('\n'), language);
        if (lines === null || lines.length !== side.length) return;
        for (const [index, row] of side.entries()) colors.set(row, lines[index] ?? []);
      }
      if (isWanted) setFound({ rows, colors });
    };
    // Readable without colors, too.
    if (isWanted) read().catch(() => undefined);
    return () => {
      isWanted = false;
    };
  }, [rows, language]);
  return found?.rows === rows ? found.colors : null;
}
