import { Dialog } from 'radix-ui';
import { useState } from 'react';
import { t } from '../../lib/text/translate.ts';
import { Button } from '../../ui/controls/button.tsx';

/** The core is out of reach: what that means, what was kept and what can be done. Part of the page, which has nothing to load it from then. */
export function LostConnection({ look }: { readonly look: string }) {
  const [isOpen, setIsOpen] = useState(false);
  return (
    <Dialog.Root open={isOpen} onOpenChange={setIsOpen}>
      <Dialog.Trigger className={`${look} font-medium text-bad`} title={t('app.lost')}>
        {t('status.offline')}
      </Dialog.Trigger>
      <Dialog.Portal>
        <div aria-hidden="true" className="fixed inset-0 z-40 bg-ink/20 dark:bg-paper/60" />
        <Dialog.Content
          aria-describedby={undefined}
          className="fixed top-[12vh] left-1/2 z-50 flex max-h-[76vh] w-[min(30rem,calc(100vw-2rem))] -translate-x-1/2 flex-col gap-3 overflow-y-auto rounded-xl border border-line bg-raised p-5 text-sm shadow-float"
        >
          <Dialog.Title className="text-base font-semibold">{t('lost.title')}</Dialog.Title>
          <p>{t('lost.what')}</p>
          <p>{t('lost.kept')}</p>
          <p>{t('lost.next')}</p>
          <div className="flex justify-end gap-2">
            <Dialog.Close asChild>
              <Button>{t('lost.wait')}</Button>
            </Dialog.Close>
            <Button look="primary" onClick={() => window.location.reload()}>
              {t('lost.reload')}
            </Button>
          </div>
        </Dialog.Content>
      </Dialog.Portal>
    </Dialog.Root>
  );
}
