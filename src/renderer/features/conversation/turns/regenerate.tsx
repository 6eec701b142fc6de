import { lazy, Suspense, useRef, useState } from 'react';
import type { MessageState, TurnState } from '@shared/session/session-state.ts';
import { useClient } from '../../../lib/connection/core-context.ts';
import { announce } from '../../../lib/notices/announce.ts';
import { failureText } from '../../../lib/connection/failure-text.ts';
import { orderOf } from '../../../lib/models/usual-models.ts';
import type { ModelPick, UsualModels } from '../../../lib/models/model-options.ts';
import { pickedModel } from '../../../lib/models/model-options.ts';
import { forkSession } from '../../../lib/session/session-commands.ts';
import { t } from '../../../lib/text/translate.ts';
import { useNavigate } from '../../../lib/window/navigation.ts';
import { Button } from '../../../ui/controls/button.tsx';
import { Icon } from '../../../ui/layout/icon.tsx';
import { pickOfTurn, regenerateOptions } from './regenerate-options.ts';

const ModelList = lazy(() => import('../../../ui/model-picker/model-list.tsx'));

interface RegenerateProps {
  readonly sessionId: string;
  readonly turn: TurnState;
  readonly message: MessageState;
}

/** Answers the same message again in a branch that begins before it, with the same models or with a picked one. */
export function Regenerate({ sessionId, turn, message }: RegenerateProps) {
  const reach = { client: useClient(), navigate: useNavigate() };
  const [isBusy, setIsBusy] = useState(false);
  const [isOpen, setIsOpen] = useState(false);
  const button = useRef<HTMLButtonElement>(null);
  const before = pickOfTurn(turn, message);
  const again = async (pick: ModelPick): Promise<void> => {
    setIsOpen(false);
    setIsBusy(true);
    try {
      const { messageId, seq, attachments = [] } = message;
      // The fold has only the beginning of a long text.
      const { text } = await reach.client.sessions.detail({ sessionId, id: messageId, near: seq });
      const options = regenerateOptions(pick, turn, message);
      const next = { text: text ?? message.text, options, attachments, isBranch: true };
      await forkSession(reach, sessionId, { before: messageId }, next);
    } catch (error) {
      announce({ kind: 'error', text: failureText(error) });
    } finally {
      setIsBusy(false);
    }
  };
  return (
    <span className="flex items-center">
      <Button
        size="small"
        look="quiet"
        className="-my-1"
        disabled={isBusy}
        title={t('branch.againAbout')}
        onClick={() => void again(before)}
      >
        {t('branch.again')}
      </Button>
      <button
        ref={button}
        type="button"
        aria-haspopup="dialog"
        aria-expanded={isOpen}
        aria-label={t('branch.againWith')}
        title={t('branch.againWith')}
        disabled={isBusy}
        onClick={() => setIsOpen(!isOpen)}
        className="-my-1 flex size-7 items-center justify-center rounded-md hover:bg-chosen hover:text-ink"
      >
        <Icon name="chevron" className="size-3 rotate-90" />
      </button>
      {isOpen && (
        <Suspense>
          <ModelList
            anchor={button}
            usual={usualOf(before)}
            picked={pickedModel(before, usualOf(before))}
            // A pick without a policy means the models of the original turn.
            onPick={(pick) => void again(pick.policy === null ? before : pick)}
            onClose={() => setIsOpen(false)}
          />
        </Suspense>
      )}
    </span>
  );
}

function usualOf({ policy, local = '', cloud, modelOrder }: ModelPick): UsualModels {
  const models = { local, cloud: cloud ?? null };
  return { policy: policy ?? 'local', ...models, order: modelOrder ?? orderOf(models) };
}
