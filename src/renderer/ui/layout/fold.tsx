import type { ReactNode } from 'react';
import { Icon } from './icon.tsx';

interface FoldProps {
  readonly label: ReactNode;
  /** Of the label; what is folded has a look of its own. */
  readonly className?: string;
  /** At first. */
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

/** Points down while the `details` is open in whose `summary` it stands. */
export function FoldMark({ className = '' }: { readonly className?: string }) {
  return (
    <Icon name="chevron" className={`size-3 transition-transform [details[open]>summary_&]:rotate-90 ${className}`} />
  );
}
