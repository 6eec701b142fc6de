import type { ReactNode } from 'react';

/**
 * Content that may be wider than its place, such as a table. It scrolls, also by keyboard, instead of the whole page.
 */
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
