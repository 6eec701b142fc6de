import { useState } from 'react';
import type { SessionState, TurnState } from '@shared/session-state.ts';
import { announce } from '../../lib/announce.ts';
import { useClient } from '../../lib/core-context.ts';
import { failureText } from '../../lib/failure-text.ts';
import { keep, keptUnder } from '../../lib/stored.ts';
import { t } from '../../lib/texts.ts';
import { Button } from '../../ui/button.tsx';
import { sendAgain } from './send-again.ts';

interface InterruptedProps {
  readonly sessionId: string;
  readonly state: SessionState;
}

/** Below a turn that the end of Dewpoint or of its sandbox cut off: it goes on only when a person says so. */
export function Interrupted({ sessionId, state }: InterruptedProps) {
  const turn = state.turns.at(-1);
  if (turn?.reason !== 'crashed' && turn?.reason !== 'sandbox-lost') return null;
  return <Offer key={turn.id} {...{ sessionId, state, turn }} />;
}

function Offer({ sessionId, state, turn }: InterruptedProps & { readonly turn: TurnState }) {
  const client = useClient();
  const key = `dewpoint-left:${turn.id}`;
  const [isLeft, setIsLeft] = useState(() => keptUnder(key) !== null);
  const [isSending, setIsSending] = useState(false);
  if (isLeft) return null;
  const goOn = async (): Promise<void> => {
    setIsSending(true);
    try {
      await sendAgain(client, { sessionId, state, turn }, { say: (task) => t('interrupted.message', { task }) });
    } catch (error) {
      announce({ kind: 'error', text: failureText(error) });
      setIsSending(false);
    }
  };
  const leave = (): void => {
    keep(key, 'left');
    setIsLeft(true);
  };
  return (
    <section
      aria-label={t('interrupted.label')}
      className="mt-4 flex flex-wrap items-center gap-3 rounded-lg border border-line px-3 py-2 text-sm"
    >
      <p className="min-w-48 flex-1">{t('interrupted.text')}</p>
      <Button size="small" look="quiet" onClick={leave}>
        {t('interrupted.leave')}
      </Button>
      <Button size="small" look="primary" disabled={isSending} onClick={() => void goOn()}>
        {t('interrupted.goOn')}
      </Button>
    </section>
  );
}
