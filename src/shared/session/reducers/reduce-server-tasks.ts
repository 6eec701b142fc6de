import type { EventOf } from '@shared/events/events.ts';
import type { LeftTask } from '@shared/events/tool-events.ts';
import type { SessionState, ToolCallState } from '@shared/session/session-state.ts';
import { changeLastMatch } from '@shared/text/shorten-text.ts';

interface LeftCall extends ToolCallState {
  readonly task: LeftTask;
}

/** Calls that a crash cut off while their servers worked on them as tasks, and whose outcome is still unknown. */
export function leftTasks({ toolCalls }: Pick<SessionState, 'toolCalls'>): readonly LeftCall[] {
  return toolCalls.filter((call): call is LeftCall => call.task !== undefined && call.status === 'unknown');
}

export function reduceServerTasks(
  { toolCalls }: SessionState,
  event: EventOf<'server-task-began'> | EventOf<'server-task-settled'>,
): Partial<SessionState> {
  const fits = (call: ToolCallState): boolean => call.toolCallId === event.toolCallId;
  const change = ({ task: _before, ...call }: ToolCallState): ToolCallState => {
    if (event.type === 'server-task-settled') return call;
    const { taskId, sha256 } = event;
    return { ...call, task: { taskId, sha256 } };
  };
  return { toolCalls: changeLastMatch(toolCalls, fits, change) };
}
