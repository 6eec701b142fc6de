import type { Range, Virtualizer } from '@tanstack/react-virtual';
import { useVirtualizer } from '@tanstack/react-virtual';
import type { ReactNode, RefObject } from 'react';
import { useCallback, useEffect, useMemo, useState } from 'react';
import type { ConversationRow } from '../../lib/session/conversation-rows.ts';
import { rowHeight } from '../../lib/drawing/row-height.ts';

interface VirtualRowsProps {
  readonly rows: readonly ConversationRow[];
  readonly scroller: RefObject<HTMLDivElement | null>;
  readonly draw: (row: ConversationRow) => ReactNode;
  /** A row to bring into view, each time this is another object. */
  readonly target: { readonly index: number } | null;
}

/** Up to this many rows all are drawn: then the page can be searched, and nothing has to be measured. */
const plainRows = 80;
/** Margins of a row count in its height. */
const rowClass = 'flow-root';
/** Rows this far above and below the view are drawn, so that none is missed while it scrolls. */
const aheadPx = 700;
/** Rows of no height must not make it endless. */
const mostAhead = 20;

export function VirtualRows(props: VirtualRowsProps) {
  if (props.rows.length > plainRows) return <Windowed {...props} />;
  return props.rows.map((row) => (
    <div key={row.key} data-row={row.key} className={rowClass}>
      {props.draw(row)}
    </div>
  ));
}

/** The rows that are near the view as well, by how high they are about. */
function nearRows(rows: readonly ConversationRow[], { startIndex, endIndex }: Range): number[] {
  const indexes: number[] = [];
  const reach = (from: number, step: 1 | -1): number => {
    let index = from;
    for (let px = 0, count = 0; px < aheadPx && count < mostAhead; count += 1) {
      const row = rows[index + step];
      if (row === undefined) break;
      px += rowHeight(row);
      index += step;
    }
    return index;
  };
  const last = reach(endIndex, 1);
  for (let index = reach(startIndex, -1); index <= last; index += 1) indexes.push(index);
  return indexes;
}

/** Of the row that stands for what is not here. */
const headPx = 48;

/** Only what is near the view is drawn; each row is measured when it is. */
function Windowed({ rows: all, scroller, draw, target }: VirtualRowsProps) {
  const head = all[0]?.type === 'earlier' ? all[0] : null;
  // It is none of the rows that keep their places: else what is read would move when turns come in below it.
  const rows = useMemo(() => (head === null ? all : all.slice(1)), [all, head]);
  const virtualizer = useRows(rows, scroller, head === null ? 0 : headPx);
  const offset = all.length - rows.length;
  useEffect(() => {
    if (target !== null) virtualizer.scrollToIndex(Math.max(0, target.index - offset), { align: 'center' });
    // A target is gone to once, wherever rows come in later.
    // oxlint-disable-next-line react/exhaustive-deps
  }, [target, virtualizer]);
  const items = virtualizer.getVirtualItems();
  return (
    <div className="relative w-full" style={{ height: virtualizer.getTotalSize() }}>
      {head !== null && items[0]?.index === 0 && <div className="h-12 overflow-hidden">{draw(head)}</div>}
      {items.map((item) => {
        const row = rows[item.index];
        return row === undefined ? null : (
          <div
            key={item.key}
            ref={virtualizer.measureElement}
            data-index={item.index}
            className="absolute top-0 left-0 w-full"
            style={{ transform: `translateY(${item.start}px)` }}
          >
            <div className={rowClass}>{draw(row)}</div>
          </div>
        );
      })}
    </div>
  );
}

function useRows(
  rows: readonly ConversationRow[],
  scroller: VirtualRowsProps['scroller'],
  paddingStart: number,
): Virtualizer<HTMLDivElement, Element> {
  const [before] = useState(() => drawnBefore(scroller.current));
  const [initialOffset] = useState(() =>
    // The end is what a session is opened for.
    before.heights.size > 0 ? before.top : rows.reduce((sum, row) => sum + rowHeight(row), paddingStart),
  );
  const estimateSize = useCallback(
    (index: number): number => {
      const row = rows[index];
      return row === undefined ? 0 : (before.heights.get(row.key) ?? rowHeight(row));
    },
    [rows, before],
  );
  const getItemKey = useCallback((index: number) => rows[index]?.key ?? index, [rows]);
  const rangeExtractor = useCallback((range: Range) => nearRows(rows, range), [rows]);
  // The compiler that this rule speaks for is not used here.
  // oxlint-disable-next-line react/incompatible-library
  return useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroller.current,
    estimateSize,
    getItemKey,
    rangeExtractor,
    paddingStart,
    // What is read stays where it is when rows come in above it.
    anchorTo: 'end',
    initialOffset,
  });
}

interface DrawnRows {
  /** By the key of the row, in pixels. */
  readonly heights: ReadonlyMap<string, number>;
  readonly top: number;
}

/** The rows as they all stand there at the moment from which on only some are drawn: nothing moves then. */
function drawnBefore(scroller: HTMLElement | null): DrawnRows {
  const heights = new Map<string, number>();
  for (const row of scroller?.querySelectorAll<HTMLElement>('[data-row]') ?? []) {
    heights.set(row.dataset.row ?? '', row.getBoundingClientRect().height);
  }
  return { heights, top: scroller?.scrollTop ?? 0 };
}
