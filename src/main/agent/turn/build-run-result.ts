import type { RunResult, StepFigures } from '@shared/session/run-result.ts';
import type { CloudReference, Counterfactual } from '@shared/money/counterfactual.ts';
import { rememberedLines } from '@shared/projects/memory-line.ts';
import type { SplitWorkload } from '@shared/money/workload.ts';
import { comparedWith, stepElsewhere } from '@shared/money/counterfactual.ts';
import { counterfactualOfTurns } from '@shared/money/turn-counterfactual.ts';
import { sessionWork } from '@shared/money/workload.ts';
import { spendingLimitOf } from '@shared/money/spending-limit.ts';
import { turnCostUsd } from '@shared/money/turn-money.ts';
import type { Usage } from '@shared/money/token-cost.ts';
import { addUsage, noUsage, promptTokensOf } from '@shared/money/token-cost.ts';
import { testsDidNotRun, missingProgram } from '@shared/text/missing-program.ts';
import { failsAsBefore, testsText } from '@shared/text/passed-tests.ts';
import { changeStatus } from '@shared/session/file-change-state.ts';
import type { ServerUse } from '@shared/session/server-use.ts';
import type { SessionState, StepState, TurnState } from '@shared/session/session-state.ts';
import { runStatusOf } from '@shared/session/session-state.ts';

/**
 * The result file of a session's last turn. Its text and list of files cover the whole session. Null while the turn
 * runs or before there is one. An unknown figure is null with a reason, never 0.
 */
export function buildRunResult(state: SessionState, reference: CloudReference | null = null): RunResult | null {
  const turn = state.turns.at(-1);
  if (turn?.reason === null || turn === undefined || state.workspace === null) return null;
  const steps = state.steps.filter((step) => step.turnId === turn.id);
  const usage = steps.reduce<Usage>((sum, step) => (step.end === null ? sum : addUsage(sum, step.end.usage)), noUsage);
  const { freshInput, cacheRead, cacheWrite, output } = usage;
  const costUsd = turnCostUsd(turn);
  const children = childrenOf(turn);
  const limit = spendingLimitOf(state);
  const known = sessionWork(state);
  const work = sessionWork(state, turn.id);
  const detail = counterfactualOfTurns(state, reference, turn.id);
  return {
    session: state.sessionId ?? '',
    status: runStatusOf(turn.reason),
    reason: reasonOf(turn),
    text: turn.text,
    ...memoryOf(turn),
    confidence: turn.confidence,
    check: checkOf(turn),
    ...testsOf(turn),
    routing: turn.routing ?? null,
    steps: turn.steps,
    ...(turn.retries === undefined ? {} : { retries: turn.retries }),
    actions: turn.actions,
    seconds: Math.max(0, (turn.endedAt ?? turn.startedAt) - turn.startedAt) / 1000,
    tokens: { freshInput, cacheRead, cacheWrite, output },
    costUsd,
    ...(children === null ? {} : { children }),
    ...(limit === null ? {} : { limit }),
    ...(costUsd === null ? { costReason: 'at least one call was made to a model without a known price' } : {}),
    ...energyOf(work),
    counterfactual: {
      allLocal: detail.allLocal.usd?.value ?? null,
      allCloud: detail.allCloud.usd?.value ?? null,
      reason: reasonsOf(detail),
      detail,
      against: comparedWith(detail.allCloud, work),
    },
    byStep: steps.map((step) => figuresOf(step, reference, known)),
    ...(turn.servers === undefined ? {} : { servers: turn.servers.map(serverFigures) }),
    workspace: state.workspace,
    changes: state.changes
      .filter((change) => changeStatus(change) !== 'undone')
      .map(({ path, added, removed }) => ({ path, added, removed })),
  };
}

function memoryOf(turn: TurnState): Pick<RunResult, 'memory'> {
  const memory = rememberedLines(turn.memory);
  return memory.length === 0 ? {} : { memory };
}

function serverFigures({ ms, ...use }: ServerUse): NonNullable<RunResult['servers']>[number] {
  return { ...use, seconds: ms / 1000, costUsd: null };
}

/** The reason, and for a failure also its message and hint. */
function reasonOf(turn: TurnState): string {
  if (turn.failure === null) return turn.reason === 'done' ? 'done' : (turn.reason ?? '');
  const { message, hint } = turn.failure;
  if (hint === undefined) return `${turn.reason}: ${message}`;
  return `${turn.reason}: ${message}${/[.!?)]$/u.test(message) ? '' : '.'} ${hint}`;
}

function testsOf({ before, after }: TurnState): Pick<RunResult, 'tests'> {
  if (after?.unrelated === true)
    return {
      tests: missingProgram(after.exitCode, after.summary) === null ? failsAsBefore : testsDidNotRun,
    };
  return after?.passed === true ? { tests: testsText(before?.summary ?? null, after.summary) } : {};
}

function checkOf(turn: TurnState): RunResult['check'] {
  if (turn.check === null) return null;
  const { command } = turn.check;
  return { command, before: turn.before?.passed ?? null, after: turn.after?.passed ?? null };
}

/** Their cost is a part of the turn's; their tokens are not. */
function childrenOf({ money }: TurnState): NonNullable<RunResult['children']> | null {
  if (money === undefined || money.children.runs === 0) return null;
  const { runs, costUsd, unpriced, usage } = money.children;
  const { freshInput, cacheRead, cacheWrite, output } = usage;
  return { runs, costUsd: unpriced > 0 ? null : costUsd, tokens: { freshInput, cacheRead, cacheWrite, output } };
}

/** Energy of this machine only; cloud services do not report theirs. */
function energyOf({ local }: SplitWorkload): Pick<RunResult, 'energyWh' | 'energyReason'> {
  if (local.estimatedEnergyCalls > 0 && local.unmeteredCalls === 0) {
    return { energyWh: local.wattHours, energyReason: 'estimated: energy.watts of the settings × the time' };
  }
  if (local.unmeteredCalls === 0) return { energyWh: local.wattHours };
  const energyReason = 'there is no meter that can be read; set energy.watts for an estimate';
  return { energyWh: null, energyReason };
}

function reasonsOf({ allLocal, allCloud }: Counterfactual): string {
  const here = `all local: ${allLocal.basis}, ${allLocal.why ?? allLocal.formula}`;
  return `${here}; all cloud: ${allCloud.basis}, ${allCloud.why ?? allCloud.formula}`;
}

function figuresOf(step: StepState, reference: CloudReference | null, known: SplitWorkload): StepFigures {
  const { purpose, stage, where, provider, model, reason, promptTokens, end } = step;
  return {
    step: step.step,
    purpose,
    stage,
    where,
    provider,
    model,
    reason,
    promptTokens: promptTokens ?? (end === null ? null : promptTokensOf(end.usage)),
    evaluatedTokens: end?.evaluatedTokens ?? null,
    outputTokens: end?.usage.output ?? 0,
    seconds: (end?.timings.totalMs ?? 0) / 1000,
    costUsd: end?.costUsd ?? null,
    ...(end === null
      ? {}
      : {
          energyWh: end.energy?.wattHours ?? null,
          elsewhere: stepElsewhere({ where: step.where, end }, reference, known),
        }),
  };
}
