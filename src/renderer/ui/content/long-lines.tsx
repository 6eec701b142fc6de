import type { Range } from '@tanstack/react-virtual';
import { useVirtualizer } from '@tanstack/react-virtual';
import type { ReactNode } from 'react';
import { useCallback, useEffect, useRef } from 'react';
import { t } from '../../lib/text/translate.ts';

interface LongLinesProps {
  readonly count: number;
  /** Renders the line with this index. */
  readonly draw: (index: number) => ReactNode;
  /** The length of a line in characters. */
  readonly lengthOf: (index: number) => number;
  /** Long lines wrap. */
  readonly isWrapped?: boolean;
  /** The line to scroll to. Null: the first. */
  readonly at?: number | null;
  readonly className?: string;
}

/** Up to this many lines and characters, all are rendered. */
const plainLines = 200;
const plainCharacters = 20_000;
/** The estimated height of a row, at the usual text size. */
const rowPx = 20;
/** The estimated characters in a row of wrapped text. */
const rowCharacters = 80;
/** This many rows are rendered above and below the view. */
const readyRows = 20;

/** Lines of a text in their own scroll area. Only those near the view are rendered, so their number does not matter. */
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

function Plain({ count, draw, at = null, className = '' }: LongLinesProps) {
  const scroller = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (at !== null) scroller.current?.children[at]?.scrollIntoView({ block: 'center' });
  }, [at, count]);
  return (
    <div
      ref={scroller}
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

function Windowed({ count, draw, lengthOf, isWrapped = false, at = null, className = '' }: LongLinesProps) {
  const scroller = useRef<HTMLDivElement>(null);
  const rowsOf = useCallback(
    (index: number): number => (isWrapped ? Math.max(1, Math.ceil(lengthOf(index) / rowCharacters)) : 1),
    [isWrapped, lengthOf],
  );
  // The React compiler, which this rule is for, is not used here.
  // oxlint-disable-next-line react/incompatible-library
  const virtualizer = useVirtualizer({
    count,
    getScrollElement: () => scroller.current,
    estimateSize: useCallback((index: number) => rowPx * rowsOf(index), [rowsOf]),
    rangeExtractor: useCallback((range: Range) => withReady(range, rowsOf), [rowsOf]),
  });
  useEffect(() => {
    if (at !== null) virtualizer.scrollToIndex(at, { align: 'center' });
  }, [virtualizer, at, count]);
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
      {/* In the normal flow, so that lines can have any width and a selection can span them. */}
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

/** The lines in view, and enough lines around them to fill the extra rows. With long lines, that is one or two. */
function withReady({ startIndex, endIndex, count }: Range, rowsOf: (index: number) => number): number[] {
  let first = startIndex;
  for (let rows = 0; first > 0 && rows < readyRows; rows += rowsOf(first)) first -= 1;
  let last = endIndex;
  for (let rows = 0; last < count - 1 && rows < readyRows; rows += rowsOf(last)) last += 1;
  return Array.from({ length: last - first + 1 }, (_, index) => first + index);
}
