import { useIsCommandRefused } from '../../lib/connection/use-host-info.ts';
import { useOpenDialog } from '../../lib/window/navigation.ts';
import { Button } from '../controls/button.tsx';

interface AskAgainButtonProps {
  readonly label: string;
  /** Null: all sessions of a period that the person chooses. */
  readonly sessionIds: readonly string[] | null;
  /** Only this call of the one session. */
  readonly callId?: string;
  readonly isDisabled?: boolean;
}

/** The way to ask another model what was asked. Empty where this host may not. */
export function AskAgainButton({ label, isDisabled = false, ...asked }: AskAgainButtonProps) {
  const openDialog = useOpenDialog();
  if (useIsCommandRefused('endpoint.askAgain')) return null;
  return (
    <Button
      size="small"
      className="w-fit"
      disabled={isDisabled}
      onClick={() => openDialog({ type: 'ask-again', ...asked })}
    >
      {label}
    </Button>
  );
}
