import type { RunStatus } from './run-options.ts';
import type { comparedWith, Counterfactual, Elsewhere } from '@shared/money/counterfactual.ts';
import type { SpendingLimit } from '@shared/money/spending-limit.ts';
import type { Stage, Where } from '@shared/models/model-info.ts';
import type { Purpose } from '@shared/events/call-events.ts';
import type { WorkspaceMode } from '@shared/events/session-events.ts';
import type { TurnRouting } from '@shared/events/turn-events.ts';

/** The summary of one run that `--result` writes. Documented in docs/guide/automation.md. */
export interface RunResult {
  readonly session: string;
  readonly status: RunStatus;
  readonly reason: string;
  /** The agent's last words: a summary, an answer or a plan. */
  readonly text: string;
  /** The lines of the memory that were of use. Absent: none was. */
  readonly memory?: readonly string[];
  readonly confidence: string | null;
  /** What the success check says at the end: "474 tests pass, 13 of them new". Absent: the work broke it, or there is none. */
  readonly tests?: string;
  readonly check: { readonly command: string; readonly before: boolean | null; readonly after: boolean | null } | null;
  /** Null: unknown, because the run was cancelled or cut off, or an older version recorded it. */
  readonly routing: TurnRouting | null;
  readonly steps: number;
  /** Steps that only failed and were tried again. The step limit does not count them. Absent: none. */
  readonly retries?: number;
  /** Tool calls of models, and actions of recipes. */
  readonly actions: number;
  readonly seconds: number;
  readonly tokens: RunTokens;
  /** Includes child sessions. */
  readonly costUsd: number | null;
  readonly costReason?: string;
  /** The part of child sessions: in `costUsd`, not in `tokens`. Absent: there were none. */
  readonly children?: { readonly runs: number; readonly costUsd: number | null; readonly tokens: RunTokens };
  /** The spending limit that is closest to being reached. Absent: none is set. */
  readonly limit?: SpendingLimit;
  readonly energyWh: number | null;
  readonly energyReason?: string;
  readonly counterfactual: {
    readonly allLocal: number | null;
    readonly allCloud: number | null;
    readonly reason: string;
    /** With intervals, times and the way it was computed. */
    readonly detail?: Counterfactual;
    /** The comparison with all steps in the cloud: less, more, or too close to say. Null: unknown, or all ran there. */
    readonly against?: ReturnType<typeof comparedWith>;
  };
  readonly byStep: readonly StepFigures[];
  /** Use of tool servers. Absent: none. Servers do not report what their calls cost. */
  readonly servers?: readonly {
    readonly server: string;
    readonly calls: number;
    readonly carried: number;
    readonly failed: number;
    readonly seconds: number;
    readonly costUsd: null;
  }[];
  readonly workspace: { readonly mode: WorkspaceMode; readonly path: string };
  readonly changes: readonly {
    readonly path: string;
    readonly added: number | null;
    readonly removed: number | null;
  }[];
}

interface RunTokens {
  readonly freshInput: number;
  readonly cacheRead: number;
  readonly cacheWrite: number;
  readonly output: number;
}

export interface StepFigures {
  readonly step: number;
  readonly purpose: Purpose;
  readonly stage: Stage;
  readonly where: Where;
  readonly provider: string;
  readonly model: string;
  readonly reason: string;
  readonly promptTokens: number | null;
  readonly evaluatedTokens: number | null;
  readonly outputTokens: number;
  readonly seconds: number;
  readonly costUsd: number | null;
  /** Watt-hours of this machine alone; null when unknown. */
  readonly energyWh?: number | null;
  /** The same tokens in the other place: in the cloud for a local step, on this machine for a cloud step. */
  readonly elsewhere?: Elsewhere;
}

/** The exit code of the terminal for each status, as promised in docs/guide/automation.md. */
export const exitCodes: Readonly<Record<RunStatus, number>> = {
  done: 0,
  incomplete: 1,
  'gave-up': 1,
  limit: 1,
  error: 1,
  cap: 3,
  'needs-approval': 4,
  missing: 5,
  waiting: 6,
  cancelled: 130,
};
