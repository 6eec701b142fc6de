import { useMutation } from '@tanstack/react-query';
import type { SessionState, TurnState } from '@shared/session/session-state.ts';
import { turnStatus } from '@shared/session/session-state.ts';
import { announce } from '../../../lib/notices/announce.ts';
import { useClient } from '../../../lib/connection/core-context.ts';
import { failureText } from '../../../lib/connection/failure-text.ts';
import { useActionOf } from '../../../lib/window/navigation.ts';
import type { TextKey } from '../../../lib/text/translate.ts';
import { t } from '../../../lib/text/translate.ts';
import { Button } from '../../../ui/controls/button.tsx';
import { resendTask } from './resend-task.ts';

interface BlockedTurnOfferProps {
  readonly sessionId: string;
  readonly state: SessionState;
  /** Called when the task was sent again. */
  readonly onSent: () => void;
}

/**
 * An offer below a last turn that was stopped by something the user can change: a way to change it, and to send the
 * task again.
 */
export function BlockedTurnOffer({ sessionId, state, onSent }: BlockedTurnOfferProps) {
  const turn = state.turns.at(-1);
  if (turn === undefined) return null;
  return <Offer key={turn.id} {...{ sessionId, state, turn, onSent }} />;
}

/** Turns that the end of Dewpoint or of its sandbox cut off have an offer of their own. */
const hasOwnOffer: readonly string[] = ['crashed', 'sandbox-lost'];
const stopped: readonly string[] = ['cap', 'limit', 'missing', 'error'];
const aboutModels: readonly string[] = ['missing-model', 'missing-key', 'model-failed'];

function Offer({ sessionId, state, turn, onSent }: BlockedTurnOfferProps & { readonly turn: TurnState }) {
  const actionOf = useActionOf();
  const client = useClient();
  const again = useMutation({
    mutationFn: () => resendTask(client, { sessionId, state, turn, onSent }, { say: (task) => task }),
    onError: (error) => announce({ kind: 'error', text: failureText(error) }),
  });
  const status = turnStatus(turn);
  if (hasOwnOffer.includes(turn.reason ?? '') || !stopped.includes(status)) return null;
  const wanted = changeFor(turn);
  const change = wanted === null ? null : actionOf(wanted.id);
  return (
    <div className="mt-3 flex flex-wrap gap-2">
      <Button size="small" disabled={again.isPending || again.isSuccess} onClick={() => again.mutate()}>
        {t('next.again')}
      </Button>
      {wanted !== null && change !== null && (
        <Button size="small" look="quiet" onClick={change}>
          {t(wanted.text)}
        </Button>
      )}
    </div>
  );
}

/** The action that changes the cause; null: the turn's hint is all there is. */
function changeFor(turn: TurnState): { readonly text: TextKey; readonly id: string } | null {
  const status = turnStatus(turn);
  if (status === 'cap') return { text: 'next.cap', id: 'inspect-cost' };
  if (status === 'limit') return { text: 'next.limit', id: 'settings' };
  return aboutModels.includes(turn.failure?.code ?? '') ? { text: 'next.model', id: 'slash-model' } : null;
}
