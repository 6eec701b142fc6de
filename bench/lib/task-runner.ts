import type { SessionEvent } from '@shared/events/events.ts';
import type { Strategy } from '@shared/models/model-info.ts';
import type { Policy } from '@shared/routing/routing.ts';
import type { RunResult } from '@shared/session/run-result.ts';

/** One task for Dewpoint, as a user would give it. */
export interface TaskRun {
  /** A fresh copy of the project, worked on in place. */
  readonly projectPath: string;
  readonly prompt: string;
  readonly check: string | null;
  readonly model: string;
  readonly strategy: Strategy | 'auto';
  readonly seed: number;
  readonly maxMinutes: number;
  /** Absent: `local`. With another, `cloud` is the model that it may go to. */
  readonly policy?: Policy;
  readonly cloud?: string;
}

export interface TaskOutcome {
  readonly result: RunResult;
  readonly events: readonly SessionEvent[];
  /** From the message to the end, the start of the sandbox included: what a person waits for. */
  readonly seconds: number;
}

/** Whatever does tasks: the real core, or a fake in tests. One task at a time. */
export interface TaskRunner {
  /** Rejects when the task could not be tried at all (no model, no sandbox), which is no failure of the agent. */
  run(run: TaskRun, signal: AbortSignal): Promise<TaskOutcome>;
  close(): Promise<void>;
}
