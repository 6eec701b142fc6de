import type { ToolCallState } from '@shared/session/session-state.ts';
import { toolCallStatus } from '@shared/session/session-state.ts';
import { seenCommand } from '@shared/text/seen-text.ts';
import { seconds } from '../../../lib/text/format.ts';
import { t } from '../../../lib/text/translate.ts';
import { useShowMemory } from '../../../lib/window/navigation.ts';
import { Button } from '../../../ui/controls/button.tsx';
import { TerminalOutput } from '../../../ui/content/terminal-output.tsx';
import { RowLine } from './row-line.tsx';
import { rowId } from '../row-id.ts';
import { ToolDetails } from './tool-details.tsx';

interface ActionRowProps {
  readonly sessionId: string;
  readonly action: ToolCallState;
  /** The sequence number of the event that began its turn. */
  readonly near: number;
  readonly liveOutput: string;
  readonly isOpen: boolean;
  readonly onToggle: () => void;
}

/** An action of a recipe. It uses no model, so it has no tokens and no cost. */
export function ActionRow({ sessionId, action, near, liveOutput, isOpen, onToggle }: ActionRowProps) {
  const status = toolCallStatus(action);
  const isStopped = status === 'cancelled' || status === 'unknown';
  const hasFailed = status !== 'ok' && status !== 'running' && status !== 'requested' && !isStopped;
  return (
    <>
      <RowLine
        id={rowId(action.toolCallId)}
        isOpen={isOpen}
        onToggle={onToggle}
        mark={
          <span aria-hidden="true" className={isStopped ? 'h-1 w-2.5 bg-warn' : 'size-1 rounded-full bg-line-strong'} />
        }
        where={<span className="text-soft">{t('step.action')}</span>}
        label={
          <span className="text-soft">
            {seenCommand(action.label)}
            {isStopped && <span className="ml-2 text-xs font-semibold text-warn">{t('step.stopped')}</span>}
            {hasFailed && <span className="ml-2 text-xs font-semibold text-bad">{t(`step.status.${status}`)}</span>}
            {status === 'ok' && action.exitCode !== null && action.exitCode !== 0 && (
              <span className="ml-2 text-xs">{t('step.exit', { code: action.exitCode })}</span>
            )}
          </span>
        }
        figures={action.durationMs === null ? t('step.running') : seconds(action.durationMs)}
      >
        {() => (
          <>
            <ToolDetails sessionId={sessionId} place={{ id: action.toolCallId, near }} calls={[action]} />
            {action.label === memoryLabel && <ToMemory />}
          </>
        )}
      </RowLine>
      {action.status === null && liveOutput !== '' && (
        <div className="my-1.5 ml-5.5">
          <TerminalOutput text={liveOutput} />
        </div>
      )}
    </>
  );
}

/** What the core calls the action that tells a model the memory. */
const memoryLabel = 'read the memory';

/** The lines stand above it. One that is wrong is changed where it is kept. */
function ToMemory() {
  const showMemory = useShowMemory();
  return (
    <Button size="small" look="quiet" onClick={showMemory}>
      {t('step.toMemory')}
    </Button>
  );
}
