import type { SessionState } from '@shared/session/session-state.ts';
import { useClient } from '../../../lib/connection/core-context.ts';
import { t } from '../../../lib/text/translate.ts';
import { resendTask } from './resend-task.ts';
import { TurnOffer } from './turn-offer.tsx';

interface ResumeOfferProps {
  readonly sessionId: string;
  readonly state: SessionState;
}

/** Below a turn that the end of Dewpoint or of its sandbox cut off: it goes on only when a person says so. */
export function ResumeOffer({ sessionId, state }: ResumeOfferProps) {
  const client = useClient();
  const turn = state.turns.at(-1);
  if (turn?.reason !== 'crashed' && turn?.reason !== 'sandbox-lost') return null;
  return (
    <TurnOffer
      key={turn.id}
      name={`dewpoint-left:${turn.id}`}
      label={t('interrupted.label')}
      text={t('interrupted.text')}
      leave={t('interrupted.leave')}
      accept={t('interrupted.goOn')}
      onAccept={() =>
        resendTask(client, { sessionId, state, turn }, { say: (task) => t('interrupted.message', { task }) })
      }
    />
  );
}
