import { lazy, Suspense, useState } from 'react';
import { t } from '../../../lib/text/translate.ts';
import { Button } from '../../../ui/controls/button.tsx';
import { IconButton } from '../../../ui/controls/icon-button.tsx';

const RestoreDialog = lazy(() => import('./restore-dialog.tsx'));

interface RestoreButtonProps {
  readonly sessionId: string;
  /** The id of the message or step before which the session is restored. */
  readonly checkpoint: string;
  /** Shown as a mark without words, as below a message. */
  readonly isMark?: boolean;
}

/** Asks before it restores anything. */
export function RestoreButton({ sessionId, checkpoint, isMark = false }: RestoreButtonProps) {
  const [isOpen, setIsOpen] = useState(false);
  const open = (): void => setIsOpen(true);
  return (
    <>
      {isMark ? (
        <IconButton icon="back" label={t('restore.here')} onClick={open} />
      ) : (
        <Button size="small" onClick={open}>
          {t('restore.here')}
        </Button>
      )}
      {isOpen && (
        <Suspense fallback={null}>
          <RestoreDialog {...{ sessionId, checkpoint }} onClose={() => setIsOpen(false)} />
        </Suspense>
      )}
    </>
  );
}
