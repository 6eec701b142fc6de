import { useState } from 'react';
import { announce } from '../../../lib/notices/announce.ts';
import { failureText } from '../../../lib/connection/failure-text.ts';
import { writeStoredText, readStoredText } from '../../../lib/window/stored-value.ts';
import { Button } from '../../../ui/controls/button.tsx';
import type { SessionState } from '@shared/session/session-state.ts';
import { useClient } from '../../../lib/connection/core-context.ts';
import { t } from '../../../lib/text/translate.ts';
import { resendTask } from './resend-task.ts';

interface TurnOfferProps {
  /** What is remembered of it once a person has left it; another one has another name. */
  readonly name: string;
  readonly label: string;
  readonly text: string;
  readonly leave: string;
  readonly accept: string;
  /** Rejects with a failure of the core. */
  readonly onAccept: () => Promise<void>;
}

/** Below a turn that is over: what can be done about it, and is done only when a person says so. */
export function TurnOffer({ name, label, text, leave, accept, onAccept }: TurnOfferProps) {
  const [isLeft, setIsLeft] = useState(() => readStoredText(name) !== null);
  const [isSending, setIsSending] = useState(false);
  if (isLeft) return null;
  const send = async (): Promise<void> => {
    setIsSending(true);
    try {
      await onAccept();
    } catch (error) {
      announce({ kind: 'error', text: failureText(error) });
      setIsSending(false);
    }
  };
  const leaveIt = (): void => {
    writeStoredText(name, 'left');
    setIsLeft(true);
  };
  return (
    <section
      aria-label={label}
      className="mt-4 flex flex-wrap items-center gap-3 rounded-lg border border-line px-3 py-2 text-sm"
    >
      <p className="min-w-48 flex-1">{text}</p>
      <Button size="small" look="quiet" onClick={leaveIt}>
        {leave}
      </Button>
      <Button size="small" look="primary" disabled={isSending} onClick={() => void send()}>
        {accept}
      </Button>
    </section>
  );
}

interface ResumeOfferProps {
  readonly sessionId: string;
  readonly state: SessionState;
  /** The task was sent once more. */
  readonly onSent: () => void;
}

/** Below a turn that the end of Dewpoint or of its sandbox cut off: it goes on only when a person says so. */
export function ResumeOffer({ sessionId, state, onSent }: ResumeOfferProps) {
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
        resendTask(
          client,
          { sessionId, state, turn, onSent },
          { say: (task) => t('interrupted.message', { task }), options: { origin: 'resume' } },
        )
      }
    />
  );
}

interface CloudReviewOfferProps {
  readonly sessionId: string;
  readonly state: SessionState;
  /** The task was sent once more. */
  readonly onSent: () => void;
}

/** Below a turn that was done here for want of a network, once the network is back. */
export function CloudReviewOffer({ sessionId, state, onSent }: CloudReviewOfferProps) {
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
          { sessionId, state, turn, onSent },
          { say: (task) => t('secondLook.message', { task }), options: { policy: 'cloud', origin: 'cloud-review' } },
        )
      }
    />
  );
}
