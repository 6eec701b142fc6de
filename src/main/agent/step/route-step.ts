import type { NewEvent } from '@shared/events/events.ts';
import type { ModelInfo } from '@shared/models/model-info.ts';
import type { ModelRequest } from '../../models/providers/define.ts';
import type { Decision, Pin, RouteFacts } from '../../routing/define.ts';
import { discoverRules } from '../../routing/registry.ts';
import { isNetworkAway } from '../../routing/hard-rules.ts';
import { decideRoute } from '../../routing/decide-route.ts';
import { taskFeatures } from '../../routing/routing-features.ts';
import { memo } from '../../lib/memo.ts';
import { causesText } from '@shared/models/machine-strain.ts';
import { matchingRule, ruleText } from '@shared/routing/route-rules.ts';
import type { Trajectory } from '../../routing/trajectory/trajectory.ts';
import { spendingLimitNames } from '@shared/money/limit-names.ts';
import { isQuestion, makesNew } from '@shared/text/task-kind.ts';
import type { CallingTurn, StepRequest } from '../turn/turn.ts';

const rules = discoverRules();

/** The facts that differ from step to step. The rest comes from the turn. */
export interface StepFacts extends Pick<RouteFacts, 'purpose' | 'strategy' | 'candidates'> {
  readonly trouble?: RouteFacts['trouble'];
  readonly shut?: RouteFacts['shut'];
  readonly taint?: RouteFacts['taint'];
  readonly driver?: string;
  readonly isDoubtful?: boolean;
}

/** Decides where a step runs, from what is in the log. */
export function routeStep(turn: CallingTurn, step: StepFacts): Decision {
  return decideRoute(factsOf(turn, step), rules);
}

function factsOf(turn: CallingTurn, step: StepFacts): RouteFacts {
  const { options } = turn;
  const trajectory = trajectoryOf(turn);
  return {
    policy: options.policy,
    numbers: options.routing.numbers,
    taint: [],
    shut: null,
    pin: pinOf(turn, step),
    needs: { images: turn.given.hasImages && seesConversation(step), tools: step.strategy === 'loop' },
    ...budgetOf(turn, trajectory),
    task: featuresOfTask(turn),
    trajectory,
    ...strainOf(turn),
    wasGreenBefore: trajectory.wasGreenBefore === true,
    trouble: null,
    now: turn.log.lastAt(),
    ...step,
  };
}

function strainOf({ found }: CallingTurn): Pick<RouteFacts, 'strain'> {
  const ease = found.facts?.ease;
  return ease?.act === 'cloud' ? { strain: causesText(ease.causes) } : {};
}

/**
 * Network state, newest source first: what happened during the turn, then the check at its start, then what was known
 * before.
 */
function trajectoryOf({ id, trajectory, found, dependencies, options }: CallingTurn): Trajectory {
  const { numbers } = options.routing;
  const known = trajectory.now();
  const reach = found.facts?.network;
  const at = dependencies.journal.state().turns.findLast((turn) => turn.id === id)?.startedAt ?? 0;
  if (reach === undefined || known.network.at >= at) return known;
  return { ...known, network: { failures: reach === 'away' ? numbers.offlineAfter : 0, at } };
}

/** Whether the cloud is unreachable for now; false if the policy leaves no choice. */
export function isOffline(turn: CallingTurn): boolean {
  const { policy, routing } = turn.options;
  if (policy !== 'hybrid') return false;
  return isNetworkAway({ trajectory: trajectoryOf(turn), numbers: routing.numbers, now: turn.log.lastAt() });
}

/** Whether the step sends the conversation with its images; a handoff or a summary has none. */
function seesConversation({ purpose, strategy }: StepFacts): boolean {
  return strategy === 'loop' && (purpose === 'act' || purpose === 'plan');
}

/**
 * What is left of the tightest spending limit, from what was left at the start of the turn and what the turn has spent.
 */
function budgetOf(
  { options, found }: CallingTurn,
  trajectory: Trajectory,
): Pick<RouteFacts, 'budgetLeftUsd' | 'budgetCap'> {
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

/** A rule for local applies to every call; a rule for the cloud applies only if there is a choice of models. */
function pinOf(turn: CallingTurn, { purpose, candidates }: StepFacts): Pin | null {
  const rules = turn.found.facts?.routes.rules ?? [];
  if (rules.length === 0) return null;
  const rule = matchingRule(rules, { purpose, task: turn.task, paths: turn.trajectory.now().paths });
  if (rule === null || (rule.where === 'cloud' && candidates.length < 2)) return null;
  return { where: rule.where, text: ruleText(rule) };
}

const featuresOfTask = memo((turn: CallingTurn) => ({
  ...taskFeatures(turn.task, {
    hasCriterion: turn.options.check !== null || (turn.found.facts?.facts.test ?? null) !== null,
    isQuestion: isQuestion(turn.task),
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
  const candidate = { info, promptTokens, maxOutputTokens: call.request.maxOutputTokens, canDrive: true };
  return routeStep(turn, { purpose, strategy: stage.strategy, candidates: [candidate] });
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
  const { runnerUp, layer, code, text, votes, options, gain, features, isDegraded } = decision;
  const hadChoice = code !== 'only-model';
  return {
    type: 'route-decided',
    callId,
    chosen: { model: info.id, where: info.where },
    reasonCode: hadChoice ? code : reason.code,
    reason: hadChoice ? text : reason.text,
    runnerUp: runnerUp === null ? null : { model: runnerUp.info.id, where: runnerUp.info.where },
    layer,
    votes: [...votes],
    options: [...options],
    gain,
    features,
    ...(isDegraded ? { degraded: true } : {}),
  };
}
