import type { FenceHit } from '@shared/fences.ts';
import type { Stage } from '@shared/models.ts';
import type { Cascade, StageCause } from '../../routing/cascade/cascade.ts';
import type { Decision, Denial, RouteCandidate, Trouble } from '../../routing/define.ts';
import type { ModelRequest } from '../../providers/define.ts';
import { buildRequest, maxOutputTokens } from '../prompt/build-prompt.ts';
import type { PromptShape } from '../prompt/build-prompt.ts';
import { passFences } from '../step/pass-fences.ts';
import { routeStep } from '../step/route-step.ts';
import type { ResolvedModel } from '../turn/agent-dependencies.ts';
import { enterStage } from '../turn/enter-stage.ts';
import { promptBytes } from '../prompt/token-estimate.ts';
import type { Turn } from '../turn/turn.ts';

/** A model that may drive the loop, and how it is talked to. */
export interface LoopCandidate {
  readonly stage: Stage;
  readonly model: ResolvedModel;
  readonly shape: PromptShape;
  readonly canDrive: boolean;
}

/** Who drives the loop, and who could. */
export interface LoopCandidates {
  readonly turn: Turn;
  readonly all: readonly LoopCandidate[];
  readonly purpose: 'act' | 'plan';
  readonly cascade: Cascade;
  current: LoopCandidate;
  /** Taken, and not yet acted on. */
  pending: Decision | null;
  /** Why the cloud is shut for the rest of the turn. */
  shut: Denial | null;
  /** What the fences found in the conversation when it was last about to go to the cloud; what a person allowed is not in it. */
  taint: readonly FenceHit[];
}

/** The request that a candidate would send; the temperature is of no matter for its size. */
function requestOf({ turn }: LoopCandidates, { shape, model }: LoopCandidate): ModelRequest {
  const options = { seed: null, temperature: 0, cacheKey: '' };
  return buildRequest(shape, turn.conversation.entries(), model.info, options);
}

/**
 * While a service works, the local model reads the conversation, where it is expected to come back: the local model has worked
 * on it in this session, may take it over again, and its window holds it.
 */
export function warmLocalPrompt(candidates: LoopCandidates): void {
  const { turn, all, current, shut } = candidates;
  const { numbers } = turn.options.routing;
  const here = all.find(({ stage, canDrive }) => stage.where === 'local' && canDrive);
  if (current.stage.where !== 'cloud' || here === undefined || shut !== null) return;
  const { models, takeovers } = turn.trajectory.now();
  const { info, provider } = here.model;
  if (provider.prefill === undefined || models[info.id] === undefined || takeovers >= numbers.maxTakeovers) return;
  const request = { ...requestOf(candidates, here), cacheKey: `${turn.dependencies.journal.sessionId}:loop` };
  if (turn.tokens.countBytes(promptBytes(request)) + maxOutputTokens(info) > info.contextTokens) return;
  const why = `The conversation is expected to come back (take-over ${takeovers} of ${numbers.maxTakeovers} that may be).`;
  turn.warm.start({ info, provider, request, why });
}

function routeCandidate(candidates: LoopCandidates, candidate: LoopCandidate): RouteCandidate {
  const { info } = candidate.model;
  const promptTokens = candidates.turn.tokens.countBytes(promptBytes(requestOf(candidates, candidate)));
  return { info, promptTokens, maxOutputTokens: maxOutputTokens(info), canDrive: candidate.canDrive };
}

/**
 * Decides who makes the next step and moves the conversation there. A decision without a
 * choice means that nobody may go on.
 */
export async function chooseLoopCandidate(
  candidates: LoopCandidates,
  trouble: Trouble | null = null,
): Promise<Decision> {
  const pending = trouble === null ? candidates.pending : null;
  candidates.pending = null;
  const decision = pending ?? decide(candidates, trouble);
  if (decision.chosen === null) return decision;
  const id = decision.chosen.info.id;
  const candidate = candidates.all.find(({ model }) => model.info.id === id);
  if (candidate !== undefined && (candidate !== candidates.current || beginsForGain(candidates, decision))) {
    if (!(await mayMove(candidates, candidate, decision))) return chooseLoopCandidate(candidates, trouble);
    if (candidate !== candidates.current)
      await moveTo(candidates, candidate, { decision, cause: trouble?.cause ?? null });
  }
  if (trouble !== null) candidates.pending = decision;
  return decision;
}

/** It was put on the first place of the cascade because that is worth it, and could as well begin here. */
function beginsForGain({ turn, all }: LoopCandidates, { code }: Decision): boolean {
  return code === 'gain' && all.length > 1 && turn.trajectory.now().steps === 0;
}

/**
 * The fences are asked before the move, so that nobody is told of a hand-over that does not come. A person is asked by
 * them when the work needs it, not for a gain.
 */
async function mayMove(candidates: LoopCandidates, candidate: LoopCandidate, { code }: Decision): Promise<boolean> {
  const { turn, purpose } = candidates;
  const { stage, model } = candidate;
  const isOptional = code === 'gain';
  const step = {
    purpose,
    stage,
    model,
    request: requestOf(candidates, candidate),
    reason: { code: 'route', text: '' },
  };
  const passage = await passFences(turn, isOptional ? { ...step, isOptional } : step);
  if (passage.type === 'passed') {
    if (stage.where === 'cloud') candidates.taint = [];
    return true;
  }
  candidates.taint = passage.hits;
  if (passage.isFinal) candidates.shut = { code: 'fence', text: passage.stop.text };
  return false;
}

function decide(candidates: LoopCandidates, trouble: Trouble | null): Decision {
  const { turn, all, purpose, shut, taint } = candidates;
  const step = {
    purpose,
    strategy: 'loop',
    candidates: all.map((candidate) => routeCandidate(candidates, candidate)),
    trouble,
    shut,
    taint,
  } as const;
  return routeStep(turn, step);
}

/** Who takes over is told in two lines who worked before and what went wrong. */
async function moveTo(
  candidates: LoopCandidates,
  candidate: LoopCandidate,
  { decision, cause }: { readonly decision: Decision; readonly cause: StageCause },
): Promise<void> {
  const { turn, current, cascade } = candidates;
  const { steps, last } = turn.trajectory.now();
  candidates.current = candidate;
  const entered = cascade.handOver(candidate.stage, cause);
  await enterStage(turn, entered, { recipe: null, reason: decision.text });
  if (steps === 0 || last === null) return;
  const who = `${current.model.info.label} worked on this until here (${steps} steps); you go on from here.`;
  await turn.log.append({ type: 'notice-added', level: 'info', code: 'handover', text: `${who}\n${whyOf(decision)}` });
}

function whyOf({ layer, text }: Decision): string {
  return layer === 'L5' || layer === 'L4' ? text : 'What was done so far stands; nothing needs to be done again.';
}
