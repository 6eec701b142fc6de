import { useState } from 'react';
import { useClient } from '../../lib/connection/core-context.ts';
import { failureText } from '../../lib/connection/failure-text.ts';
import { announce } from '../../lib/notices/announce.ts';
import { t } from '../../lib/text/translate.ts';
import { Icon } from '../layout/icon.tsx';
import { Button } from './button.tsx';

interface StopButtonProps {
  readonly sessionId: string;
  /** The core has answered. */
  readonly onAnswered?: () => void;
}

/** Stops the task of a session, for as long as the task runs. */
export function StopButton({ sessionId, onAnswered }: StopButtonProps) {
  const client = useClient();
  const [isStopping, setIsStopping] = useState(false);
  const stop = async (): Promise<void> => {
    setIsStopping(true);
    try {
      await client.sessions.cancel({ sessionId });
    } catch (error) {
      announce({ kind: 'error', text: failureText(error) });
      setIsStopping(false);
    }
    onAnswered?.();
  };
  return (
    <Button size="small" disabled={isStopping} onClick={() => void stop()}>
      <Icon name="stop" className="size-3.5" />
      {t(isStopping ? 'composer.stopping' : 'composer.stop')}
    </Button>
  );
}
