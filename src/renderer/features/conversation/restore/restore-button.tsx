import { lazy, Suspense, useState } from 'react';
import { t } from '../../../lib/text/translate.ts';
import { Button } from '../../../ui/controls/button.tsx';

const RestoreDialog = lazy(() => import('./restore-dialog.tsx'));

interface RestoreButtonProps {
  readonly sessionId: string;
  /** The id of the message or step before which the session is restored. */
  readonly checkpoint: string;
  readonly look?: 'quiet';
}

/** Asks before it restores anything. */
export function RestoreButton({ sessionId, checkpoint, look }: RestoreButtonProps) {
  const [isOpen, setIsOpen] = useState(false);
  return (
    <>
      <Button size="small" {...(look === undefined ? {} : { look })} onClick={() => setIsOpen(true)}>
        {t('restore.here')}
      </Button>
      {isOpen && (
        <Suspense fallback={null}>
          <RestoreDialog {...{ sessionId, checkpoint }} onClose={() => setIsOpen(false)} />
        </Suspense>
      )}
    </>
  );
}
