import type { ToolStatus } from '@shared/events/tool-events.ts';

/** A call that a program made, shortened. The log has all of it. */
export interface InnerCallState {
  readonly toolCallId: string;
  readonly tool: string;
  readonly label: string;
  readonly startedAt: number;
  /** Null until it has ended. */
  readonly status: ToolStatus | null;
  readonly durationMs: number | null;
}
