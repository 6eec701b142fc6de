import { useVirtualizer } from '@tanstack/react-virtual';
import type { ReactNode } from 'react';
import { useCallback, useRef } from 'react';

interface LongLinesProps {
  readonly count: number;
  /** A line by its place, from 0. */
  readonly draw: (index: number) => ReactNode;
  readonly className?: string;
}

/** Up to this many lines all are drawn. */
const plainLines = 200;
/** Of a line that was not measured yet, at the usual size of text. */
const linePx = 20;

/** Lines of a text in a scroller of their own. Of many only those near the view are drawn, so that none is too many. */
export function LongLines(props: LongLinesProps) {
  return props.count > plainLines ? <Windowed {...props} /> : <Plain {...props} />;
}

const look = 'overflow-auto font-mono text-xs leading-relaxed';

function Plain({ count, draw, className = '' }: LongLinesProps) {
  return (
    <div
      // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- it scrolls
      tabIndex={0}
      className={`${look} ${className}`}
    >
      {Array.from({ length: count }, (_, index) => (
        <div key={index}>{draw(index)}</div>
      ))}
    </div>
  );
}

function Windowed({ count, draw, className = '' }: LongLinesProps) {
  const scroller = useRef<HTMLDivElement>(null);
  // The compiler that this rule speaks for is not used here.
  // oxlint-disable-next-line react/incompatible-library
  const virtualizer = useVirtualizer({
    count,
    getScrollElement: () => scroller.current,
    estimateSize: useCallback(() => linePx, []),
    overscan: 20,
  });
  const items = virtualizer.getVirtualItems();
  const [first, last] = [items[0], items.at(-1)];
  return (
    <div
      ref={scroller}
      // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- it scrolls
      tabIndex={0}
      className={`max-h-[70vh] ${look} ${className}`}
    >
      {/* In the flow, so that lines may be as wide as they are and a selection runs through them. */}
      <div style={{ paddingTop: first?.start ?? 0, paddingBottom: virtualizer.getTotalSize() - (last?.end ?? 0) }}>
        {items.map(({ key, index }) => (
          <div key={key} ref={virtualizer.measureElement} data-index={index} className="flow-root">
            {draw(index)}
          </div>
        ))}
      </div>
    </div>
  );
}
