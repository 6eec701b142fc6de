import { useMemo, useState } from 'react';
import type { DiffRow } from '../lib/diff-rows.ts';
import { diffRows } from '../lib/diff-rows.ts';
import { plural } from '../lib/texts.ts';

const shownRows = 200;
const rowLooks = { place: 'bg-sunken text-soft', same: '', added: 'bg-added', removed: 'bg-removed' } as const;
const signs = { place: '', same: ' ', added: '+', removed: '−' } as const;

/** A unified diff; added and removed lines differ in sign and in colour. */
export function DiffView({ diff }: { readonly diff: string }) {
  const rows = useMemo(() => diffRows(diff), [diff]);
  const [isOpen, setIsOpen] = useState(false);
  const shown = isOpen || rows.length <= shownRows + 20 ? rows.length : shownRows;
  return (
    <div className="overflow-hidden rounded-lg border border-line">
      <div
        // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- it scrolls
        tabIndex={0}
        className="max-h-[70vh] overflow-y-auto font-mono text-xs leading-relaxed"
      >
        <div>
          {rows.slice(0, shown).map((row, index) => (
            // oxlint-disable-next-line react/no-array-index-key -- rows are told apart by their place alone
            <Row key={index} row={row} />
          ))}
        </div>
      </div>
      {shown < rows.length && (
        <button
          type="button"
          className="w-full border-t border-line py-1 text-xs text-soft hover:bg-chosen hover:text-ink"
          onClick={() => setIsOpen(true)}
        >
          {plural('diff.moreRows', rows.length - shown)}
        </button>
      )}
    </div>
  );
}

function Row({ row }: { readonly row: DiffRow }) {
  return (
    <div className={`flex whitespace-pre-wrap ${rowLooks[row.kind]}`}>
      {row.kind !== 'place' && (
        <span
          aria-hidden="true"
          className="w-9 shrink-0 pr-2 text-right text-2xs leading-[inherit] text-soft select-none"
        >
          {row.after ?? row.before ?? ''}
        </span>
      )}
      <span className={`shrink-0 select-none ${row.kind === 'place' ? 'w-9' : 'w-4'}`}>{signs[row.kind]}</span>
      <span className="min-w-0 flex-1 pr-3 wrap-anywhere">{row.text}</span>
    </div>
  );
}
