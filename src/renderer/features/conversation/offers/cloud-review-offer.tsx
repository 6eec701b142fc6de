import type { SessionState } from '@shared/session/session-state.ts';
import { useClient } from '../../../lib/connection/core-context.ts';
import { t } from '../../../lib/text/translate.ts';
import { resendTask } from './resend-task.ts';
import { TurnOffer } from './turn-offer.tsx';

interface CloudReviewOfferProps {
  readonly sessionId: string;
  readonly state: SessionState;
}

/** Below a turn that was done here for want of a network, once the network is back. */
export function CloudReviewOffer({ sessionId, state }: CloudReviewOfferProps) {
  const client = useClient();
  const turn = state.turns.at(-1);
  const isBack = state.notices.some(({ code, seq }) => code === 'network-back' && seq > (turn?.seq ?? 0));
  if (turn === undefined || turn.reason === null || !isBack) return null;
  return (
    <TurnOffer
      key={turn.id}
      name={`dewpoint-looked:${turn.id}`}
      label={t('secondLook.label')}
      text={t('secondLook.text')}
      leave={t('secondLook.leave')}
      accept={t('secondLook.accept')}
      onAccept={() =>
        resendTask(
          client,
          { sessionId, state, turn },
          { say: (task) => t('secondLook.message', { task }), options: { policy: 'cloud' } },
        )
      }
    />
  );
}
