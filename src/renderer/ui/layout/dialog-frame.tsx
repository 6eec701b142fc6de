import { Dialog } from 'radix-ui';
import type { ReactNode } from 'react';

interface DialogFrameProps {
  readonly title: string;
  /** One or two sentences below the title. */
  readonly about: string;
  readonly onClose: () => void;
  readonly children: ReactNode;
}

/** A dialog in the middle of the window. Escape closes it. */
export function DialogFrame({ title, about, onClose, children }: DialogFrameProps) {
  return (
    <Dialog.Root open onOpenChange={(isOpen) => (isOpen ? undefined : onClose())}>
      <Dialog.Portal>
        {/* The library's own overlay would add a style sheet, which the page's policy forbids. */}
        <div aria-hidden="true" className="fixed inset-0 z-40 bg-ink/20 dark:bg-paper/60" />
        <Dialog.Content className="fixed top-[14vh] left-1/2 z-50 flex max-h-[72vh] w-[min(28rem,calc(100vw-2rem))] -translate-x-1/2 flex-col gap-4 overflow-y-auto rounded-xl border border-line bg-raised p-5 pr-2.5 text-sm shadow-float">
          <div>
            <Dialog.Title className="text-xl font-semibold">{title}</Dialog.Title>
            <Dialog.Description className="mt-1 text-xs text-soft wrap-anywhere">{about}</Dialog.Description>
          </div>
          {children}
        </Dialog.Content>
      </Dialog.Portal>
    </Dialog.Root>
  );
}
