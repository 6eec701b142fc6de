import { useState } from 'react';
import type { SessionState, TurnState } from '@shared/session/session-state.ts';
import { announce } from '../../../lib/notices/announce.ts';
import { useClient } from '../../../lib/connection/core-context.ts';
import { failureText } from '../../../lib/connection/failure-text.ts';
import { sendOptionsFor, imageModelsFor } from '../../../lib/models/image-models.ts';
import { plural, t } from '../../../lib/text/translate.ts';
import { useModels } from '../../../lib/models/use-local-model.ts';
import { Button } from '../../../ui/controls/button.tsx';
import { resendTask } from './resend-task.ts';
import { SeeingModel } from '../../../ui/controls/seeing-model.tsx';

interface ImageModelOfferProps {
  readonly sessionId: string;
  readonly state: SessionState;
  /** Called when the task was sent again. */
  readonly onSent: () => void;
}

/** An offer below a turn whose models could not see an image: send the same message to a model that can. */
export function ImageModelOffer({ sessionId, state, onSent }: ImageModelOfferProps) {
  const turn = state.turns.at(-1);
  if (turn?.reason !== 'missing') return null;
  return <Offer key={turn.id} {...{ sessionId, state, turn, onSent }} />;
}

function Offer({ sessionId, state, turn, onSent }: ImageModelOfferProps & { readonly turn: TurnState }) {
  const client = useClient();
  const models = useModels().data ?? [];
  const [wanted, setWanted] = useState('');
  const [isSending, setIsSending] = useState(false);
  const message = state.messages.find(({ messageId }) => messageId === turn.messageId);
  const found = imageModelsFor(turn, message, models);
  if (found === null) return null;
  const { offered, kept } = found;
  const model = offered.find(({ id }) => id === wanted) ?? offered[0];
  const resend = async (): Promise<void> => {
    if (model === undefined) return;
    setIsSending(true);
    try {
      const options = sendOptionsFor(model, turn);
      await resendTask(client, { sessionId, state, turn, onSent }, { say: (task) => task, options });
    } catch (error) {
      announce({ kind: 'error', text: failureText(error) });
      setIsSending(false);
    }
  };
  return (
    <section
      aria-label={t('unseen.label')}
      className="mt-4 flex flex-wrap items-center gap-3 rounded-lg border border-line px-3 py-2 text-sm"
    >
      <p className="min-w-48 flex-1">
        {t(model === undefined ? 'unseen.none' : 'unseen.text')} {kept > 0 && plural('unseen.kept', kept)}
      </p>
      {model !== undefined && (
        <>
          <SeeingModel offered={offered} chosen={model.id} onChoose={setWanted} />
          <Button size="small" look="primary" disabled={isSending} onClick={() => void resend()}>
            {t('unseen.resend')}
          </Button>
        </>
      )}
    </section>
  );
}
