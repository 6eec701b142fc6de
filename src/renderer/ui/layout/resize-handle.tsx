import type { KeyboardEvent, PointerEvent } from 'react';
import { useRef } from 'react';

interface ResizeHandleProps {
  readonly label: string;
  /** Width of the pane on its right, in pixels at the usual text size. */
  readonly width: number;
  readonly onWidth: (width: number) => void;
}

const stepPx = 24;

/** The edge between two panes, moved by the pointer or the arrow keys. The pane that it resizes is on its right. */
export function ResizeHandle({ label, width, onWidth }: ResizeHandleProps) {
  const from = useRef<{ readonly x: number; readonly width: number } | null>(null);
  const begin = (event: PointerEvent<HTMLDivElement>): void => {
    event.currentTarget.setPointerCapture(event.pointerId);
    from.current = { x: event.clientX, width };
    // Otherwise, the text under the pointer would be selected.
    event.preventDefault();
  };
  const move = (event: PointerEvent): void => {
    if (from.current === null) return;
    const rem = Number.parseFloat(getComputedStyle(document.documentElement).fontSize) / 16;
    onWidth(Math.round(from.current.width + (from.current.x - event.clientX) / rem));
  };
  const end = (): void => void (from.current = null);
  const press = ({ key }: KeyboardEvent): void => {
    if (key === 'ArrowLeft') onWidth(width + stepPx);
    if (key === 'ArrowRight') onWidth(width - stepPx);
  };
  return (
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-element-interactions -- a separator that can be moved is a control
    <div
      // oxlint-disable-next-line jsx-a11y/prefer-tag-over-role -- a line takes no pointer
      role="separator"
      aria-label={label}
      aria-orientation="vertical"
      aria-valuenow={width}
      aria-valuemin={280}
      aria-valuemax={1600}
      // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- see above
      tabIndex={0}
      onPointerDown={begin}
      onPointerMove={move}
      onPointerUp={end}
      onPointerCancel={end}
      onKeyDown={press}
      className="absolute inset-y-0 -left-1 z-10 w-2 cursor-col-resize touch-none hover:bg-line-strong/40 focus-visible:bg-line-strong"
    />
  );
}
