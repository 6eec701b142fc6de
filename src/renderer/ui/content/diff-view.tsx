import { useCallback, useMemo } from 'react';
import { seenLine } from '@shared/text/seen-text.ts';
import type { DiffRow } from '../../lib/drawing/diff-rows.ts';
import { diffRows } from '../../lib/drawing/diff-rows.ts';
import { LongLines } from './long-lines.tsx';
import { SeenPieces } from './seen-text.tsx';

const rowLooks = { place: 'bg-sunken text-soft', same: '', added: 'bg-added', removed: 'bg-removed' } as const;
const signs = { place: '', same: ' ', added: '+', removed: '−' } as const;

/** A unified diff; added and removed lines differ in sign and in color, and nothing in a line can hide or turn it. */
export function DiffView({ diff }: { readonly diff: string }) {
  const rows = useMemo(() => diffRows(diff), [diff]);
  const lengthOf = useCallback((index: number) => rows[index]?.text.length ?? 0, [rows]);
  return (
    <div className="overflow-hidden rounded-lg border border-line">
      <LongLines
        count={rows.length}
        lengthOf={lengthOf}
        isWrapped
        className="max-h-[70vh]"
        draw={(index) => {
          const row = rows[index];
          return row === undefined ? null : <Row row={row} />;
        }}
      />
    </div>
  );
}

function Row({ row }: { readonly row: DiffRow }) {
  return (
    <div className={`flex whitespace-pre-wrap ${rowLooks[row.kind]}`}>
      {row.kind !== 'place' && (
        <span
          aria-hidden="true"
          className="w-9 shrink-0 pr-2 text-right text-xs leading-[inherit] text-soft select-none"
        >
          {row.after ?? row.before ?? ''}
        </span>
      )}
      <span className={`shrink-0 select-none ${row.kind === 'place' ? 'w-9' : 'w-4'}`}>{signs[row.kind]}</span>
      <span className="min-w-0 flex-1 pr-3 wrap-anywhere">
        <SeenPieces pieces={seenLine(row.text)} />
      </span>
    </div>
  );
}
