import type { SessionState, TurnState } from '@shared/session-state.ts';
import { turnStatus } from '@shared/session-state.ts';
import { useActionOf } from '../../lib/navigation.ts';
import type { TextKey } from '../../lib/texts.ts';
import { t } from '../../lib/texts.ts';
import { Button } from '../../ui/button.tsx';
import { useSendAgain } from './use-send-again.ts';

interface NextStepProps {
  readonly sessionId: string;
  readonly state: SessionState;
}

/** Below a last turn that was stopped by something a person can change: the way to that, and the task once more. */
export function NextStep({ sessionId, state }: NextStepProps) {
  const turn = state.turns.at(-1);
  if (turn === undefined) return null;
  return <Offer key={turn.id} {...{ sessionId, state, turn }} />;
}

const stopped: readonly string[] = ['cap', 'limit', 'missing', 'error'];
const aboutModels: readonly string[] = ['missing-model', 'missing-key', 'model-failed'];

function Offer({ sessionId, state, turn }: NextStepProps & { readonly turn: TurnState }) {
  const actionOf = useActionOf();
  const { isSending, sendAgain } = useSendAgain({ sessionId, state, turn });
  const status = turnStatus(turn);
  // What the end of Dewpoint cut off has an offer of its own.
  if (turn.reason === 'crashed' || !stopped.includes(status)) return null;
  const wanted = changeFor(turn);
  const change = wanted === null ? null : actionOf(wanted.id);
  return (
    <div className="mt-3 flex flex-wrap gap-2">
      <Button size="small" disabled={isSending} onClick={() => sendAgain()}>
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

/** The action that changes what stopped it; null: what its hint says, if anything. */
function changeFor(turn: TurnState): { readonly text: TextKey; readonly id: string } | null {
  const status = turnStatus(turn);
  if (status === 'cap') return { text: 'next.cap', id: 'inspect-cost' };
  if (status === 'limit') return { text: 'next.limit', id: 'settings' };
  return aboutModels.includes(turn.failure?.code ?? '') ? { text: 'next.model', id: 'slash-model' } : null;
}
