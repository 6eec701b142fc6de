import { useState } from 'react';
import { announce } from '../../../lib/notices/announce.ts';
import { failureText } from '../../../lib/connection/failure-text.ts';
import { writeStoredText, readStoredText } from '../../../lib/window/stored-value.ts';
import { Button } from '../../../ui/controls/button.tsx';

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
