import type { SessionState } from '@shared/session-state.ts';
import { useClient } from '../../lib/core-context.ts';
import { t } from '../../lib/texts.ts';
import { sendAgain } from './send-again.ts';
import { TurnOffer } from './turn-offer.tsx';

interface InterruptedProps {
  readonly sessionId: string;
  readonly state: SessionState;
}

/** Below a turn that the end of Dewpoint or of its sandbox cut off: it goes on only when a person says so. */
export function Interrupted({ sessionId, state }: InterruptedProps) {
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
        sendAgain(client, { sessionId, state, turn }, { say: (task) => t('interrupted.message', { task }) })
      }
    />
  );
}
