import { useState } from 'react';
import type { SessionState, TurnState } from '@shared/session-state.ts';
import { announce } from '../../lib/announce.ts';
import { attended } from '../../lib/attended.ts';
import { useClient } from '../../lib/core-context.ts';
import type { CoreClient } from '../../lib/core-client.ts';
import { failureText } from '../../lib/failure-text.ts';
import { keep, keptUnder } from '../../lib/stored.ts';
import { t } from '../../lib/texts.ts';
import { Button } from '../../ui/button.tsx';

interface InterruptedProps {
  readonly sessionId: string;
  readonly state: SessionState;
}

/** Below a turn that the end of Dewpoint cut off: it goes on only when a person says so. */
export function Interrupted({ sessionId, state }: InterruptedProps) {
  const turn = state.turns.at(-1);
  if (turn?.reason !== 'crashed') return null;
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
      await sendAgain(client, { sessionId, state, turn });
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

/** The same task once more, said to be one that was begun: with its files, its cap and its kind. */
async function sendAgain(
  client: CoreClient,
  { sessionId, state, turn }: InterruptedProps & { readonly turn: TurnState },
): Promise<void> {
  const message = state.messages.find(({ messageId }) => messageId === turn.messageId);
  const { text } = await client.sessions.detail({ sessionId, id: turn.messageId, near: message?.seq });
  const task = text ?? message?.text ?? '';
  const { maxUsd } = turn.limits;
  await client.sessions.send({
    sessionId,
    text: t('interrupted.message', { task }),
    options: { ...attended, plan: turn.plan, ...(maxUsd === null ? {} : { maxUsd }) },
    attachments: [...(message?.attachments ?? [])],
  });
}
