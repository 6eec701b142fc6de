import type { ReactNode } from 'react';

export interface Suggestion {
  readonly key: string;
  readonly content: ReactNode;
  readonly choose: () => void;
}

interface SuggestionsProps {
  readonly id: string;
  readonly label: string;
  readonly items: readonly Suggestion[];
  readonly selected: number;
}

/** The suggestions of a field while the user types. The field keeps the focus and names the selected one. */
export function Suggestions({ id, label, items, selected }: SuggestionsProps) {
  return (
    <div
      id={id}
      // No `select` element, because it belongs to a field that keeps the focus.
      // oxlint-disable-next-line jsx-a11y/prefer-tag-over-role
      role="listbox"
      aria-label={label}
      className={`absolute inset-x-0 bottom-full z-10 mb-1 max-h-72 overflow-y-auto [scrollbar-gutter:auto] rounded-lg border border-line bg-raised p-1 shadow-float ${items.length === 0 ? 'hidden' : ''}`}
    >
      {items.map(({ key, content, choose }, index) => (
        <div
          key={key}
          id={`${id}-${index}`}
          // oxlint-disable-next-line jsx-a11y/prefer-tag-over-role
          role="option"
          tabIndex={-1}
          aria-selected={index === selected}
          // Keeps the focus and the keyboard in the field.
          onMouseDown={(event) => event.preventDefault()}
          onClick={choose}
          onKeyDown={() => undefined}
          className="flex min-w-0 items-baseline gap-2 rounded-md px-2 py-1 text-sm hover:bg-chosen aria-selected:bg-chosen"
        >
          {content}
        </div>
      ))}
    </div>
  );
}
