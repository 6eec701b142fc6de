import type { NewEvent } from '@shared/events/events.ts';
import type { ModelInfo } from '@shared/models/model-info.ts';
import type { ModelRequest } from '../../models/providers/define.ts';
import type { Decision, Pin, ChoiceFacts } from '../../routing/define.ts';
import { discoverRules } from '../../routing/registry.ts';
import { isOfConversation } from '../../routing/choose-by-score.ts';
import { hasChoice } from '../../routing/hard-rules.ts';
import { chooseModel } from '../../routing/choose-model.ts';
import { taskFeatures } from '../../routing/routing-features.ts';
import { memo } from '../../lib/memo.ts';
import { causesText } from '@shared/models/machine-strain.ts';
import { matchingRule, ruleText } from '@shared/routing/route-rules.ts';
import type { Trajectory } from '../../routing/trajectory/trajectory.ts';
import { spendingLimitNames } from '../../money/limit-names.ts';
import { makesNew } from '@shared/text/task-kind.ts';
import type { CallingTurn, StepRequest } from '../turn/turn.ts';

const rules = discoverRules();

/** The facts that differ from step to step. The rest comes from the turn. */
export type StepFacts = Pick<ChoiceFacts, 'purpose' | 'options'> &
  Partial<
    Pick<
      ChoiceFacts,
      'trouble' | 'spent' | 'shut' | 'taint' | 'driver' | 'isDoubtful' | 'isRecipeChecked' | 'policy' | 'isChosenAnew'
    >
  >;

/** Decides where a step runs, from what is in the log. */
export function routeStep(turn: CallingTurn, step: StepFacts): Decision {
  const decision = chooseModel(factsOf(turn, step), rules);
  const { ofKind } = turn.options;
  if (ofKind === undefined || !isOfConversation(step.purpose)) return decision;
  return { ...decision, text: `${ofKind} ${decision.text}`, ofKind };
}

function factsOf(turn: CallingTurn, step: StepFacts): ChoiceFacts {
  const { options } = turn;
  const trajectory = trajectoryOf(turn);
  return {
    policy: options.policy,
    numbers: options.routing.numbers,
    taint: [],
    spent: [],
    isRecipeChecked: false,
    shut: null,
    pin: pinOf(turn, step),
    // A handoff or a summary holds no images.
    needs: { images: turn.given.hasImages && isOfConversation(step.purpose) },
    ...budgetOf(turn, trajectory),
    // The words of the task stay the same. A message that arrives meanwhile can ask for work.
    task: { ...featuresOfTask(turn), isQuestion: turn.given.isQuestion },
    trajectory,
    ...strainOf(turn),
    trouble: null,
    now: turn.log.lastAt(),
    ...step,
  };
}

function strainOf({ found }: CallingTurn): Pick<ChoiceFacts, 'strain'> {
  const ease = found.facts?.ease;
  return ease?.act === 'cloud' ? { strain: causesText(ease.causes) } : {};
}

/**
 * The state of each service, newest source first: what happened during the turn, then the check at its start, then what
 * was known before.
 */
function trajectoryOf({ id, found, dependencies, options, steps }: CallingTurn): Trajectory {
  const { numbers } = options.routing;
  const known = steps.trajectory();
  const at = dependencies.journal.state().turns.findLast((turn) => turn.id === id)?.startedAt ?? 0;
  const checked = Object.entries(found.facts?.reach ?? {}).filter(
    ([provider]) => (known.services[provider]?.at ?? -1) < at,
  );
  if (checked.length === 0) return known;
  const services = checked.map(([provider, reach]) => {
    const failures = reach === 'away' ? numbers.offlineAfter : 0;
    return [provider, { failures, at }] as const;
  });
  return { ...known, services: { ...known.services, ...Object.fromEntries(services) } };
}

/**
 * What is left of the tightest spending limit, from what was left at the start of the turn and what the turn has spent.
 */
function budgetOf(
  { options, found }: CallingTurn,
  trajectory: Trajectory,
): Pick<ChoiceFacts, 'budgetLeftUsd' | 'budgetCap'> {
  const caps = found.facts?.caps;
  if (caps === undefined) {
    const raised = Object.values(trajectory.raisedUsd).reduce((sum, usd) => sum + usd, 0);
    return { budgetLeftUsd: options.maxUsd === null ? null : options.maxUsd + raised - trajectory.spentUsd };
  }
  let tightest: { readonly left: number; readonly name: string } | null = null;
  for (const { scope, leftUsd } of caps) {
    const left = leftUsd + (trajectory.raisedUsd[scope] ?? 0) - (scope === 'step' ? 0 : trajectory.spentUsd);
    if (tightest === null || left < tightest.left) tightest = { left, name: spendingLimitNames[scope] };
  }
  return tightest === null ? { budgetLeftUsd: null } : { budgetLeftUsd: tightest.left, budgetCap: tightest.name };
}

/** What the tightest spending limit leaves now, in US dollars; null: there is none. */
export function moneyLeftUsd(turn: CallingTurn): number | null {
  return budgetOf(turn, turn.steps.trajectory()).budgetLeftUsd;
}

/** A rule for local applies to every call; a rule for the cloud applies only if there is a choice of models. */
function pinOf(turn: CallingTurn, { purpose, options }: StepFacts): Pin | null {
  const rules = turn.found.facts?.routes.rules ?? [];
  if (rules.length === 0) return null;
  const rule = matchingRule(rules, { purpose, task: turn.task, paths: turn.steps.trajectory().paths });
  if (rule === null || (rule.where === 'cloud' && !hasChoice(options))) return null;
  return { where: rule.where, text: ruleText(rule) };
}

const featuresOfTask = memo((turn: CallingTurn) => ({
  ...taskFeatures(turn.task, {
    hasCheck: turn.options.check !== null || (turn.found.facts?.facts.test ?? null) !== null,
  }),
  makesNew: makesNew(turn.task),
}));

/** Decides a step with a single possible model. Only the hard rules apply. */
export function routeAlone(
  turn: CallingTurn,
  { purpose, stage }: Pick<StepRequest, 'purpose' | 'stage'>,
  call: { readonly info: ModelInfo; readonly promptTokens: number; readonly request: ModelRequest },
): Decision {
  const { info, promptTokens } = call;
  const { strategy } = stage;
  const option = { info, strategy, promptTokens, maxOutputTokens: call.request.maxOutputTokens, canDrive: true };
  return routeStep(turn, { purpose, options: [option] });
}

type RouteEvent = Extract<NewEvent, { type: 'route-decided' }>;

/** The event for a decision. If there was no choice, it has the caller's reason instead. */
export function routeEvent(
  decision: Decision,
  step: {
    readonly callId: string;
    readonly info: ModelInfo;
    readonly reason: { readonly code: string; readonly text: string };
  },
): RouteEvent {
  const { callId, info, reason } = step;
  const { runnerUp, layer, code, text, votes, options, gain, features, isDegraded, until, reviewer, otherwise } =
    decision;
  const hadChoice = code !== 'only-model';
  return {
    type: 'route-decided',
    callId,
    chosen: { model: info.id, where: info.where },
    reasonCode: hadChoice ? code : reason.code,
    reason: hadChoice ? text : [...(decision.ofKind === undefined ? [] : [decision.ofKind]), reason.text].join(' '),
    runnerUp: runnerUp === null ? null : { model: runnerUp.info.id, where: runnerUp.info.where },
    layer,
    votes: [...votes],
    options: [...options],
    gain,
    features,
    until,
    reviewer: reviewer?.info.id ?? null,
    otherwise,
    ...(isDegraded ? { degraded: true } : {}),
  };
}
