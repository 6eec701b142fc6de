import type { Range } from '@tanstack/react-virtual';
import { useVirtualizer } from '@tanstack/react-virtual';
import type { ReactNode } from 'react';
import { useCallback, useRef } from 'react';
import { t } from '../../lib/text/translate.ts';

interface LongLinesProps {
  readonly count: number;
  /** A line by its place, from 0. */
  readonly draw: (index: number) => ReactNode;
  /** Of a line, in characters. */
  readonly lengthOf: (index: number) => number;
  /** A line that is too long goes on below. */
  readonly isWrapped?: boolean;
  readonly className?: string;
}

/** Up to this many lines, and so many characters in them, all are drawn. */
const plainLines = 200;
const plainCharacters = 20_000;
/** Of a row of text that was not measured yet, at the usual size. */
const rowPx = 20;
/** About as many characters stand in a row where lines are wrapped. */
const rowCharacters = 80;
/** So many rows are ready above the view, and below it. */
const readyRows = 20;

/** Lines of a text in a scroller of their own. Of many only those near the view are drawn, so that none is too many. */
export function LongLines(props: LongLinesProps) {
  return isShort(props) ? <Plain {...props} /> : <Windowed {...props} />;
}

function isShort({ count, lengthOf }: LongLinesProps): boolean {
  if (count > plainLines) return false;
  let characters = 0;
  for (let index = 0; index < count && characters <= plainCharacters; index += 1) characters += lengthOf(index);
  return characters <= plainCharacters;
}

const look = 'overflow-auto font-mono text-xs leading-relaxed';

function Plain({ count, draw, className = '' }: LongLinesProps) {
  return (
    <div
      // oxlint-disable-next-line jsx-a11y/prefer-tag-over-role -- no form
      role="group"
      aria-label={t('lines.label')}
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

function Windowed({ count, draw, lengthOf, isWrapped = false, className = '' }: LongLinesProps) {
  const scroller = useRef<HTMLDivElement>(null);
  const rowsOf = useCallback(
    (index: number): number => (isWrapped ? Math.max(1, Math.ceil(lengthOf(index) / rowCharacters)) : 1),
    [isWrapped, lengthOf],
  );
  // The compiler that this rule speaks for is not used here.
  // oxlint-disable-next-line react/incompatible-library
  const virtualizer = useVirtualizer({
    count,
    getScrollElement: () => scroller.current,
    estimateSize: useCallback((index: number) => rowPx * rowsOf(index), [rowsOf]),
    rangeExtractor: useCallback((range: Range) => withReady(range, rowsOf), [rowsOf]),
  });
  const items = virtualizer.getVirtualItems();
  const [first, last] = [items[0], items.at(-1)];
  return (
    <div
      ref={scroller}
      // oxlint-disable-next-line jsx-a11y/prefer-tag-over-role -- no form
      role="group"
      aria-label={t('lines.label')}
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

/** The lines in view, and those around them that make the rows which are to be ready: of long lines that is one or two. */
function withReady({ startIndex, endIndex, count }: Range, rowsOf: (index: number) => number): number[] {
  let first = startIndex;
  for (let rows = 0; first > 0 && rows < readyRows; rows += rowsOf(first)) first -= 1;
  let last = endIndex;
  for (let rows = 0; last < count - 1 && rows < readyRows; rows += rowsOf(last)) last += 1;
  return Array.from({ length: last - first + 1 }, (_, index) => first + index);
}
