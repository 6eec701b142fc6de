import type { EventOf, SessionEvent } from '@shared/events.ts';
import { addUsage, noUsage } from '@shared/money.ts';
import type { Usage } from '@shared/money.ts';
import type { RunResult, StepFigures } from '@shared/run-result.ts';
import type { SessionState } from '@shared/session-state.ts';
import { runStatusOf } from '@shared/session-state.ts';

const notYet = 'Prices of other models and measured power are not known to this version.';

interface Gathered {
  readonly started: EventOf<'turn-started'> | null;
  readonly ended: EventOf<'turn-ended'> | null;
  readonly steps: readonly StepFigures[];
  readonly usage: Usage;
  readonly actions: number;
  readonly before: boolean | null;
  readonly after: boolean | null;
}

/**
 * The last turn of a session, summed up from its events. `changed` are the files that the session left changed, net:
 * what was tried and taken back within the turn is not a change.
 */
export function buildRunResult(
  state: SessionState,
  events: readonly SessionEvent[],
  changed: RunResult['changes'],
): RunResult {
  const turn = gather(events);
  const reason = turn.ended?.reason ?? 'crashed';
  const known = turn.steps.every((step) => step.costUsd !== null);
  const { freshInput, cacheRead, cacheWrite, output } = turn.usage;
  return {
    session: state.sessionId ?? '',
    status: runStatusOf(reason),
    reason,
    text: turn.ended?.text ?? '',
    confidence: turn.ended?.confidence ?? null,
    check: turn.started?.criterion ? { command: turn.started.criterion.command, before: turn.before, after: turn.after } : null,
    steps: turn.steps.length,
    actions: turn.actions,
    seconds: turn.started === null ? 0 : ((turn.ended?.at ?? state.lastAt) - turn.started.at) / 1000,
    tokens: { freshInput, cacheRead, cacheWrite, output },
    costUsd: known ? turn.steps.reduce((sum, step) => sum + (step.costUsd ?? 0), 0) : null,
    ...(known ? {} : { costReason: 'A model that was called has no known price.' }),
    energyWh: null,
    energyReason: notYet,
    counterfactual: { allLocal: null, allCloud: null, reason: notYet },
    byStep: turn.steps,
    workspace: state.workspace ?? { mode: 'scratch', path: '' },
    changes: changed,
  };
}

function gather(events: readonly SessionEvent[]): Gathered {
  const started = events.findLast((event) => event.type === 'turn-started') ?? null;
  const mine = events.filter((event) => started !== null && event.turnId === started.turnId);
  const ofType = <Type extends SessionEvent['type']>(type: Type): readonly EventOf<Type>[] =>
    mine.filter((event): event is EventOf<Type> => event.type === type);
  const calls = ofType('model-call-started');
  const routes = new Map(ofType('route-decided').map((route) => [route.callId, route.reason]));
  const ends = new Map(ofType('model-call-ended').map((end) => [end.callId, end]));
  const checks = ofType('criterion-checked');
  return {
    started,
    ended: ofType('turn-ended').at(-1) ?? null,
    steps: calls.map((call) => stepFigures(call, ends.get(call.callId), routes.get(call.callId) ?? '')),
    usage: [...ends.values()].reduce((sum, end) => addUsage(sum, end.usage), noUsage),
    actions: ofType('tool-started').filter((tool) => tool.by === 'recipe').length,
    before: checks.find((check) => check.phase === 'before')?.passed ?? null,
    after: checks.findLast((check) => check.phase === 'after')?.passed ?? null,
  };
}

function stepFigures(
  call: EventOf<'model-call-started'>,
  end: EventOf<'model-call-ended'> | undefined,
  reason: string,
): StepFigures {
  return {
    step: call.step,
    purpose: call.purpose,
    rung: call.rung,
    where: call.rung.where,
    provider: call.provider,
    model: call.model,
    reason,
    promptTokens: call.promptTokens ?? (end === undefined ? null : end.usage.freshInput + end.usage.cacheRead + end.usage.cacheWrite),
    evaluatedTokens: end?.evaluatedTokens ?? null,
    outputTokens: end?.usage.output ?? 0,
    seconds: (end?.timings.totalMs ?? 0) / 1000,
    costUsd: end === undefined ? 0 : end.costUsd,
  };
}
