import type { ReactNode } from 'react';
import { Icon } from '../../../ui/layout/icon.tsx';

interface RowLineProps {
  readonly id: string;
  readonly isOpen: boolean;
  readonly onToggle: () => void;
  readonly mark: ReactNode;
  readonly where: ReactNode;
  readonly label: ReactNode;
  readonly figures: ReactNode;
  /** Rendered only while it is open. */
  readonly children: () => ReactNode;
}

/** One compact line about something that happened. It opens to all details. */
export function RowLine({ id, isOpen, onToggle, mark, where, label, figures, children }: RowLineProps) {
  const bodyId = `${id}-body`;
  return (
    <>
      <button
        type="button"
        id={id}
        aria-expanded={isOpen}
        aria-controls={isOpen ? bodyId : undefined}
        onClick={onToggle}
        className="group -mx-2 flex min-h-7 w-[calc(100%+1rem)] items-baseline gap-2.5 rounded-md px-2 py-0.5 text-left hover:bg-sunken aria-expanded:bg-sunken"
      >
        <span className="flex w-3 shrink-0 translate-y-px justify-center self-center group-aria-expanded:mt-1.5 group-aria-expanded:self-start">
          {mark}
        </span>
        <span className="w-10 shrink-0 text-xs">{where}</span>
        <span className="min-w-0 flex-1 truncate group-aria-expanded:whitespace-normal group-aria-expanded:wrap-anywhere">
          {label}
        </span>
        <span className="shrink-0 text-xs text-soft tabular-nums">{figures}</span>
        <Icon
          name="chevron"
          className="size-3 self-center text-soft opacity-40 transition-transform group-hover:opacity-100 group-aria-expanded:mt-1.5 group-aria-expanded:rotate-90 group-aria-expanded:self-start"
        />
      </button>
      {isOpen && (
        <div id={bodyId} className="mt-1 mb-3 ml-1 flex flex-col gap-3 border-l border-line py-1 pl-4">
          {children()}
        </div>
      )}
    </>
  );
}
