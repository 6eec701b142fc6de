import type { ReactNode } from 'react';
import { Icon } from './icon.tsx';

interface FoldProps {
  readonly label: ReactNode;
  /** Classes of the label. The folded content has its own look. */
  readonly className?: string;
  /** The initial state. */
  readonly isOpen?: boolean;
  readonly onToggle?: (isOpen: boolean) => void;
  readonly children: ReactNode;
}

/** One line that opens to more, with the same mark everywhere. */
export function Fold({ label, className = 'text-sm', isOpen = false, onToggle, children }: FoldProps) {
  return (
    <details open={isOpen} onToggle={({ currentTarget }) => onToggle?.(currentTarget.open)}>
      <summary
        className={`flex w-fit max-w-full list-none items-center gap-1.5 rounded text-soft hover:text-ink ${className}`}
      >
        <FoldMark />
        {label}
      </summary>
      {children}
    </details>
  );
}

/** Points down while its `details` element is open. Must be inside the `summary`. */
export function FoldMark({ className = '' }: { readonly className?: string }) {
  return (
    <Icon name="chevron" className={`size-3 transition-transform [details[open]>summary_&]:rotate-90 ${className}`} />
  );
}
