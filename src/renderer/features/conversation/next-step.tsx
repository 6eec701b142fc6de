import type { SessionState, TurnState } from '@shared/session-state.ts';
import { turnStatus } from '@shared/session-state.ts';
import { useActionOf } from '../../lib/navigation.ts';
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

/** What can be changed, by the status that a turn ended with. */
const changes = {
  cap: ['next.cap', 'inspect-cost'],
  limit: ['next.limit', 'settings'],
  missing: ['next.model', 'slash-model'],
  error: ['next.model', 'slash-model'],
} as const;

function Offer({ sessionId, state, turn }: NextStepProps & { readonly turn: TurnState }) {
  const actionOf = useActionOf();
  const { isSending, sendAgain } = useSendAgain({ sessionId, state, turn });
  const status = turnStatus(turn);
  // What the end of Dewpoint cut off has an offer of its own.
  if (turn.reason === 'crashed' || !isStopped(status)) return null;
  const [text, id] = changes[status];
  const change = actionOf(id);
  return (
    <div className="mt-3 flex flex-wrap gap-2">
      <Button size="small" disabled={isSending} onClick={() => sendAgain()}>
        {t('next.again')}
      </Button>
      {change !== null && (
        <Button size="small" look="quiet" onClick={change}>
          {t(text)}
        </Button>
      )}
    </div>
  );
}

function isStopped(status: string): status is keyof typeof changes {
  return status in changes;
}
