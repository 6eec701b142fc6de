import { useEffect, useRef } from 'react';
import { seenWords } from '@shared/text/seen-text.ts';
import { plural } from '../../lib/text/translate.ts';
import { TableView } from './table-view.tsx';

interface DataTableProps {
  readonly columns: readonly string[];
  readonly rows: readonly (readonly string[])[];
  /** The row to scroll to and to mark, or one cell of it. */
  readonly marked?: { readonly row: number; readonly column: number | null } | null;
}

/** The most rows that are rendered. */
export const mostTableRows = 500;

/** Cells below their column names. */
export function DataTable({ columns, rows, marked = null }: DataTableProps) {
  const markedRow = useRef<HTMLTableRowElement>(null);
  useEffect(() => {
    if (marked !== null) markedRow.current?.scrollIntoView({ block: 'center' });
  }, [marked, rows]);
  const lookOf = (row: number, column: number): string | undefined =>
    marked?.row === row && (marked.column ?? column) === column ? 'bg-chosen' : undefined;
  return (
    // The table scrolls. Words are not broken to make all columns fit.
    <div className="prose min-h-0 overflow-y-auto text-sm [&_td]:max-w-80 [&_td]:wrap-break-word [&_th]:wrap-break-word">
      <TableView>
        <thead>
          <tr>
            {columns.map((cell, column) => (
              // oxlint-disable-next-line react/no-array-index-key -- a column has nothing but its place
              <th key={column}>{seenWords(cell)}</th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.slice(0, mostTableRows).map((row, index) => (
            // oxlint-disable-next-line react/no-array-index-key -- a row has nothing but its place
            <tr key={index} ref={marked?.row === index ? markedRow : undefined}>
              {row.map((cell, column) => (
                // oxlint-disable-next-line react/no-array-index-key -- a cell has nothing but its place
                <td
                  key={column}
                  className={lookOf(index, column)}
                  aria-current={lookOf(index, column) === undefined ? undefined : 'location'}
                >
                  {seenWords(cell)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </TableView>
      {rows.length > mostTableRows && <p className="text-xs text-soft">{plural('preview.rows', mostTableRows)}</p>}
    </div>
  );
}
