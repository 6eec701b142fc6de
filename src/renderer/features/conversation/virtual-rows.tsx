import { useVirtualizer } from '@tanstack/react-virtual';
import type { ReactNode, RefObject } from 'react';
import { useEffect } from 'react';
import type { ConversationRow } from '../../lib/conversation-rows.ts';

interface VirtualRowsProps {
  readonly rows: readonly ConversationRow[];
  readonly scroller: RefObject<HTMLDivElement | null>;
  readonly draw: (row: ConversationRow) => ReactNode;
  /** A row to bring into view, each time this is another object. */
  readonly target: { readonly index: number } | null;
}

/** Up to this many rows all are drawn: then the page can be searched, and nothing has to be measured. */
const plainRows = 120;
const estimatePx = 36;
const overscan = 12;

export function VirtualRows(props: VirtualRowsProps) {
  if (props.rows.length > plainRows) return <Windowed {...props} />;
  return props.rows.map((row) => <div key={row.key}>{props.draw(row)}</div>);
}

/** Only what is near the view is drawn; each row is measured when it is. */
function Windowed({ rows, scroller, draw, target }: VirtualRowsProps) {
  // The compiler that this rule speaks for is not used here.
  // oxlint-disable-next-line react/incompatible-library
  const virtualizer = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => estimatePx,
    getItemKey: (index) => rows[index]?.key ?? index,
    overscan,
    // The end is what a session is opened for.
    initialOffset: rows.length * estimatePx,
  });
  useEffect(() => {
    if (target !== null && target.index >= 0) virtualizer.scrollToIndex(target.index, { align: 'center' });
  }, [target, virtualizer]);
  return (
    <div className="relative w-full" style={{ height: virtualizer.getTotalSize() }}>
      {virtualizer.getVirtualItems().map((item) => {
        const row = rows[item.index];
        return row === undefined ? null : (
          <div
            key={item.key}
            ref={virtualizer.measureElement}
            data-index={item.index}
            className="absolute top-0 left-0 w-full"
            style={{ transform: `translateY(${item.start}px)` }}
          >
            {/* Margins of a row must count in its height. */}
            <div className="flow-root">{draw(row)}</div>
          </div>
        );
      })}
    </div>
  );
}
