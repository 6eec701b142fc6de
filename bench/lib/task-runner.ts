import type { KnownOfProject } from '../../src/main/compose-project.ts';
import type { SessionEvent } from '@shared/events/events.ts';
import type { Strategy } from '@shared/models/model-info.ts';
import type { Policy } from '@shared/routing/routing.ts';
import type { RunResult } from '@shared/session/run-result.ts';

/** One task for Dewpoint, as a user would give it. */
export interface TaskRun {
  /** A fresh copy of the project, which is changed in place. */
  readonly projectPath: string;
  readonly prompt: string;
  readonly check: string | null;
  readonly model: string;
  readonly strategy: Strategy | 'auto';
  readonly seed: number;
  readonly maxMinutes: number;
  /** What the core does without. Default: nothing. */
  readonly without?: readonly KnownOfProject[];
  /** Default: `local`. With another policy, `cloud` is the model that the run may use. */
  readonly policy?: Policy;
  readonly cloud?: string;
}

export interface TaskOutcome {
  readonly result: RunResult;
  readonly events: readonly SessionEvent[];
  /** From the message to the end, including the start of the sandbox: the user's waiting time. */
  readonly seconds: number;
}

/** Runs tasks, one at a time: the real core, or a fake in tests. */
export interface TaskRunner {
  /** Rejects if the task could not be tried at all (no model, no sandbox). That is not a failure of the agent. */
  run(run: TaskRun, signal: AbortSignal): Promise<TaskOutcome>;
  close(): Promise<void>;
}
