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
  /** The row to scroll to. Each new object scrolls again. */
  readonly target: { readonly index: number } | null;
}

/** Up to this many rows, all are rendered. Then the browser can search the page, and nothing must be measured. */
const plainRows = 80;
/** The margins of a row count as part of its height. */
const rowClass = 'flow-root';
/** Rows this far above and below the view are rendered, so that no gap appears while scrolling. */
const aheadPx = 700;
/** Limits the loop for rows without height. */
const mostAhead = 20;

export function VirtualRows(props: VirtualRowsProps) {
  if (props.rows.length > plainRows) return <Windowed {...props} />;
  return props.rows.map((row) => (
    <div key={row.key} data-row={row.key} className={rowClass}>
      {props.draw(row)}
    </div>
  ));
}

/** Adds the rows near the view, by their estimated height. */
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

/** The height of the row for earlier turns. */
const headPx = 48;

/** Renders only rows near the view. Each row is measured when it renders. */
function Windowed({ rows: all, scroller, draw, target }: VirtualRowsProps) {
  const head = all[0]?.type === 'earlier' ? all[0] : null;
  // The row for earlier turns is not virtualized. Otherwise the text being read would move when turns load below it.
  const rows = useMemo(() => (head === null ? all : all.slice(1)), [all, head]);
  const virtualizer = useRows(rows, scroller, head === null ? 0 : headPx);
  const offset = all.length - rows.length;
  useEffect(() => {
    if (target !== null) virtualizer.scrollToIndex(Math.max(0, target.index - offset), { align: 'center' });
    // Scrolls to a target once, even if rows load later.
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
    // A session opens at its end.
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
  // The React compiler, which this rule is for, is not used here.
  // oxlint-disable-next-line react/incompatible-library
  return useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroller.current,
    estimateSize,
    getItemKey,
    rangeExtractor,
    paddingStart,
    // The text being read stays in place when rows load above it.
    anchorTo: 'end',
    initialOffset,
  });
}

interface DrawnRows {
  /** Heights in pixels, by the key of the row. */
  readonly heights: ReadonlyMap<string, number>;
  readonly top: number;
}

/** The heights and scroll position at the moment when virtualization begins, so that nothing moves. */
function drawnBefore(scroller: HTMLElement | null): DrawnRows {
  const heights = new Map<string, number>();
  for (const row of scroller?.querySelectorAll<HTMLElement>('[data-row]') ?? []) {
    heights.set(row.dataset.row ?? '', row.getBoundingClientRect().height);
  }
  return { heights, top: scroller?.scrollTop ?? 0 };
}
