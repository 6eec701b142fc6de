import type { ToolStatus } from '@shared/events/tool-events.ts';

/** A call that a program made. The whole of it is in the log. */
export interface InnerCallState {
  readonly toolCallId: string;
  readonly tool: string;
  readonly label: string;
  readonly startedAt: number;
  /** Null: not ended. */
  readonly status: ToolStatus | null;
  readonly durationMs: number | null;
}
