import { isDeepStrictEqual } from 'node:util';
import type { FenceHit } from '@shared/safety/fences.ts';
import type { Stage } from '@shared/models/model-info.ts';
import type { Cascade, StageCause } from '../../routing/cascade/cascade.ts';
import type { Decision, Denial, RouteCandidate, Trouble } from '../../routing/define.ts';
import type { ModelRequest } from '../../models/providers/define.ts';
import { buildRequest, requestBytes } from '../prompt/build-prompt.ts';
import { maxOutputTokens } from '@shared/models/prompt-room.ts';
import type { PromptShape } from '../prompt/build-prompt.ts';
import { passFencesAhead } from '../step/pass-fences.ts';
import { routeStep } from '../step/route-step.ts';
import type { ResolvedModel } from '../turn/agent-dependencies.ts';
import { enterStage } from '../turn/enter-stage.ts';
import type { Turn } from '../turn/turn.ts';

/** A model that may drive the loop, and the form of its prompt. */
export interface LoopCandidate {
  readonly stage: Stage;
  readonly model: ResolvedModel;
  readonly shape: PromptShape;
  readonly canDrive: boolean;
}

/** The model that drives the loop, and those that could. */
export interface LoopCandidates {
  /** The form of the prompt for a model. */
  readonly shapeOf: (model: ResolvedModel) => PromptShape;
  readonly turn: Turn;
  all: readonly LoopCandidate[];
  readonly purpose: 'act' | 'plan';
  readonly cascade: Cascade;
  current: LoopCandidate;
  /** A decision that is made but not yet carried out. */
  pending: Decision | null;
  /** Why the cloud is not used for the rest of the turn. */
  shut: Denial | null;
  /**
   * What the fences found in the conversation when it was last about to go to the cloud, without what the user allowed.
   */
  taint: readonly FenceHit[];
  /** A request that passed the fences before the last move: as built, and as it may be sent. Null: it was sent. */
  passed: { readonly built: ModelRequest; readonly request: ModelRequest } | null;
}

/** The version of the request that already passed the fences, if there is one; otherwise the given request. */
export function passedOr({ passed }: LoopCandidates, request: ModelRequest): ModelRequest {
  return passed !== null && isDeepStrictEqual(passed.built, request) ? passed.request : request;
}

/** The request that a candidate sends in its first step. `note`: a text that it is shown before. */
function firstRequest({ turn }: LoopCandidates, { shape, model }: LoopCandidate, note: string | null): ModelRequest {
  const { conversation, options, dependencies } = turn;
  const entries = note === null ? conversation.entries() : conversation.entriesWith(note);
  const cacheKey = `${dependencies.journal.sessionId}:loop`;
  return buildRequest(shape, entries, model.info, { seed: options.seed, temperature: 0, cacheKey });
}

function promptTokens({ turn }: LoopCandidates, { shape, model }: LoopCandidate): number {
  return turn.tokens.countBytes(requestBytes(shape, turn.conversation.entries(), model.info));
}

/**
 * Lets the local model read the conversation ahead while a cloud model works, if the conversation is expected to come
 * back: the local model has worked on it in this session, may take it over again, and its context can hold it.
 */
export function warmLocalPrompt(candidates: LoopCandidates): void {
  const { turn, all, current, shut } = candidates;
  const { numbers } = turn.options.routing;
  const here = all.find(({ stage, canDrive }) => stage.where === 'local' && canDrive);
  if (current.stage.where !== 'cloud' || here === undefined || shut !== null) return;
  const { models, takeovers } = turn.trajectory.now();
  const { info, provider } = here.model;
  if (provider.prefill === undefined || models[info.id] === undefined || takeovers >= numbers.maxTakeovers) return;
  if (promptTokens(candidates, here) + maxOutputTokens(info) > info.contextTokens) return;
  const request = firstRequest(candidates, here, null);
  const why = `The conversation is expected to come back (takeover ${takeovers} of at most ${numbers.maxTakeovers}).`;
  turn.warm.start({ info, provider, request, why });
}

function routeCandidate(candidates: LoopCandidates, candidate: LoopCandidate): RouteCandidate {
  const { info } = candidate.model;
  const { canDrive } = candidate;
  return { info, promptTokens: promptTokens(candidates, candidate), maxOutputTokens: maxOutputTokens(info), canDrive };
}

/**
 * Decides which model makes the next step and hands the conversation to it. A decision with `chosen` null means that no
 * model may continue.
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
    const note = candidate === candidates.current ? null : handoverNote(candidates, decision);
    if (!(await mayMove(candidates, candidate, { decision, note }))) return chooseLoopCandidate(candidates, trouble);
    if (candidate !== candidates.current)
      await moveTo(candidates, candidate, { reason: decision.text, note, cause: trouble?.cause ?? null });
  }
  if (trouble !== null) candidates.pending = decision;
  return decision;
}

/** Whether the cloud only brings an advantage. Nothing is lost if the step stays local. */
function isByChoice(code: string): boolean {
  return code === 'gain' || code === 'strain';
}

/** Whether the cascade starts in the cloud only for an advantage, and could as well start locally. */
function beginsForGain({ turn, all }: LoopCandidates, { code }: Decision): boolean {
  return isByChoice(code) && all.length > 1 && turn.trajectory.now().steps === 0;
}

/**
 * Checks the fences before the move, so that no handoff is announced that then does not happen. The user is asked only
 * if the work needs the move, not for an advantage.
 */
async function mayMove(
  candidates: LoopCandidates,
  candidate: LoopCandidate,
  { decision, note }: { readonly decision: Decision; readonly note: string | null },
): Promise<boolean> {
  const { turn, purpose } = candidates;
  const { stage, model } = candidate;
  const isOptional = isByChoice(decision.code);
  const built = firstRequest(candidates, candidate, note);
  const step = { purpose, stage, model, request: built, reason: { code: 'route', text: '' } };
  const passage = await passFencesAhead(turn, isOptional ? { ...step, isOptional } : step);
  if (passage.type === 'passed') {
    candidates.passed = { built, request: passage.request };
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

/** Two lines for the model that takes over: who worked before, and what went wrong. Null: no model did. */
function handoverNote({ turn, current }: LoopCandidates, decision: Decision): string | null {
  const { steps, last } = turn.trajectory.now();
  if (steps === 0 || last === null) return null;
  const who = `${current.model.info.label} worked on this until here (${steps} steps); you go on from here.`;
  return `${who}\n${whyOf(decision)}`;
}

async function moveTo(
  candidates: LoopCandidates,
  candidate: LoopCandidate,
  { reason, note, cause }: { readonly reason: string; readonly note: string | null; readonly cause: StageCause },
): Promise<void> {
  const { turn, cascade } = candidates;
  candidates.current = candidate;
  await enterStage(turn, cascade.handOver(candidate.stage, cause), { recipe: null, reason });
  if (note === null) return;
  await turn.log.append({ type: 'notice-added', level: 'info', code: 'handover', text: note });
}

function whyOf({ layer, text }: Decision): string {
  return layer === 'L5' || layer === 'L4' ? text : 'What was done so far stands; nothing needs to be done again.';
}
