import type { ToolCallState } from '@shared/session-state.ts';
import { toolCallStatus } from '@shared/session-state.ts';
import { seconds } from '../../lib/format.ts';

interface ActionRowProps {
  readonly action: ToolCallState;
  readonly liveOutput: string | undefined;
}

/** What a recipe did by itself: no model, so neither tokens nor money. */
export function ActionRow({ action, liveOutput }: ActionRowProps) {
  const status = toolCallStatus(action);
  const hasFailed = status !== 'ok' && status !== 'running' && status !== 'requested';
  const output = action.status === null ? (liveOutput ?? '') : action.output;
  return (
    <details className="row row-action">
      <summary>
        <span className="row-number" aria-hidden="true">
          ·
        </span>
        <span className="where">action</span>
        <span className="row-label">
          {action.label} {hasFailed && <span className="mark-bad">{status}</span>}
          {status === 'ok' && action.exitCode !== null && action.exitCode !== 0 && (
            <span className="mark-bad">exit {action.exitCode}</span>
          )}
        </span>
        <span className="figures">{action.durationMs === null ? 'running …' : seconds(action.durationMs)}</span>
      </summary>
      <div className="row-body">
        {output === '' ? (
          <p className="muted">No output{action.outputLeftOut ? ' here; it is in the log' : ''}.</p>
        ) : (
          <pre>{output}</pre>
        )}
      </div>
    </details>
  );
}
