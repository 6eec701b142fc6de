import { useState } from 'react';
import type { Attachment } from '@shared/attachments/attachment.ts';
import { useClient } from '../../../lib/connection/core-context.ts';
import { failureText } from '../../../lib/connection/failure-text.ts';
import { useFieldOfSession } from '../../../lib/input/field-of-session.ts';
import { announce } from '../../../lib/notices/announce.ts';
import { t } from '../../../lib/text/translate.ts';
import { Button } from '../../../ui/controls/button.tsx';

interface WaitingActionsProps {
  readonly sessionId: string;
  readonly messageId: string;
  readonly text: string;
  readonly attachments: readonly Attachment[];
}

/** Actions below a waiting message: delete it, or take it back into the field. Refused once a model has it. */
export function WaitingActions({ sessionId, messageId, text, attachments }: WaitingActionsProps) {
  const client = useClient();
  const takeBack = useFieldOfSession();
  const [isBusy, setIsBusy] = useState(false);
  const withdraw = async (after: () => void): Promise<void> => {
    setIsBusy(true);
    try {
      await client.sessions.withdraw({ sessionId, messageId });
      after();
    } catch (error) {
      announce({ kind: 'error', text: failureText(error) });
    } finally {
      setIsBusy(false);
    }
  };
  return (
    <div className="mt-0.5 -mb-1 flex items-center justify-end gap-1">
      <Button
        size="small"
        look="quiet"
        disabled={isBusy}
        onClick={() => void withdraw(() => takeBack({ text, attachments }))}
      >
        {t('queue.edit')}
      </Button>
      <Button size="small" look="quiet" disabled={isBusy} onClick={() => void withdraw(() => undefined)}>
        {t('queue.remove')}
      </Button>
    </div>
  );
}
