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
  /** The key under which a dismissal is stored. Each offer has its own. */
  readonly name: string;
  readonly label: string;
  readonly text: string;
  readonly leave: string;
  readonly accept: string;
  /** Rejects with a failure of the core. */
  readonly onAccept: () => Promise<void>;
}

/** An offer below a turn that is over. Nothing happens until the user accepts it. */
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
  /** Called when the task was sent again. */
  readonly onSent: () => void;
}

/**
 * An offer below a turn that was cut off by the end of Dewpoint or of its sandbox. It resumes only when the user says
 * so.
 */
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
  /** Called when the task was sent again. */
  readonly onSent: () => void;
}

/** An offer below a turn that ran locally for lack of a network, once the network is back. */
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
