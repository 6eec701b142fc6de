import type { ReactNode } from 'react';

/** What may be wider than its place, as a table is: it scrolls there, by keyboard too, and not the whole page. */
export function WideContent({ children }: { readonly children: ReactNode }) {
  return (
    <div
      // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- it scrolls
      tabIndex={0}
      className="overflow-x-auto"
    >
      {children}
    </div>
  );
}
