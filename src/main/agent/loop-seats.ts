import type { FenceHit } from '@shared/fences.ts';
import type { Stage } from '@shared/models.ts';
import type { Decision, Denial, Seat, Trouble } from '../router/define.ts';
import type { ModelRequest } from '../providers/define.ts';
import { buildRequest, maxOutputTokens } from './build-prompt.ts';
import type { PromptShape } from './build-prompt.ts';
import { passFences } from './pass-fences.ts';
import { routeStep } from './route-step.ts';
import type { ResolvedModel } from './services.ts';
import { promptBytes } from './token-estimate.ts';
import type { Turn } from './turn.ts';

/** A model that may drive the loop, and how it is talked to. */
export interface LoopSeat {
  readonly stage: Stage;
  readonly model: ResolvedModel;
  readonly shape: PromptShape;
  readonly canDrive: boolean;
}

/** Who drives the loop, and who could. */
export interface LoopSeats {
  readonly turn: Turn;
  readonly all: readonly LoopSeat[];
  readonly purpose: 'act' | 'plan';
  current: LoopSeat;
  /** Taken, and not yet acted on. */
  pending: Decision | null;
  /** Why the cloud is shut for the rest of the turn. */
  shut: Denial | null;
  /** What the fences found in the talk when it was last about to go to the cloud; what a person allowed is not in it. */
  taint: readonly FenceHit[];
}

/** The request that a seat would send; the temperature is of no matter for its size. */
function requestOf({ turn }: LoopSeats, { shape, model }: LoopSeat): ModelRequest {
  const options = { seed: null, temperature: 0, cacheKey: '' };
  return buildRequest(shape, turn.conversation.entries(), model.info, options);
}

/**
 * While a service works, the local model reads the talk, where it is expected to come back: the local model has worked
 * on it in this session, may take it over again, and its window holds it.
 */
export function keepWarm(seats: LoopSeats): void {
  const { turn, all, current, shut } = seats;
  const numbers = turn.options.routing?.numbers;
  const here = all.find(({ stage, canDrive }) => stage.where === 'local' && canDrive);
  if (current.stage.where !== 'cloud' || here === undefined || numbers === undefined || shut !== null) return;
  const { models, takeovers } = turn.trajectory.now();
  const { info, provider } = here.model;
  if (provider.prefill === undefined || models[info.id] === undefined || takeovers >= numbers.maxTakeovers) return;
  const request = { ...requestOf(seats, here), cacheKey: `${turn.services.journal.sessionId}:loop` };
  if (turn.tokens.countBytes(promptBytes(request)) + maxOutputTokens(info) > info.contextTokens) return;
  const why = `The talk is expected to come back (take-over ${takeovers} of ${numbers.maxTakeovers} that may be).`;
  turn.warm.start({ info, provider, request, why });
}

function seatOf(seats: LoopSeats, seat: LoopSeat): Seat {
  const { info } = seat.model;
  const promptTokens = seats.turn.tokens.countBytes(promptBytes(requestOf(seats, seat)));
  return { info, promptTokens, maxOutputTokens: maxOutputTokens(info), canDrive: seat.canDrive };
}

/**
 * Decides who makes the next step and moves the talk there. Null: steps are not routed in this turn. A decision
 * without a choice means that nobody may go on.
 */
export async function takeSeat(seats: LoopSeats, trouble: Trouble | null = null): Promise<Decision | null> {
  const pending = trouble === null ? seats.pending : null;
  seats.pending = null;
  const decision = pending ?? decide(seats, trouble);
  if (decision === null || decision.chosen === null) return decision;
  const id = decision.chosen.info.id;
  const seat = seats.all.find(({ model }) => model.info.id === id);
  if (seat !== undefined && (seat !== seats.current || beginsForGain(seats, decision))) {
    if (!(await mayMove(seats, seat, decision))) return takeSeat(seats, trouble);
    if (seat !== seats.current) await moveTo(seats, seat, decision);
  }
  if (trouble !== null) seats.pending = decision;
  return decision;
}

/** It was put on the first place of the cascade because that is worth it, and could as well begin here. */
function beginsForGain({ turn, all }: LoopSeats, { code }: Decision): boolean {
  return code === 'gain' && all.length > 1 && turn.trajectory.now().steps === 0;
}

/**
 * The fences are asked before the move, so that nobody is told of a hand-over that does not come. A person is asked by
 * them when the work needs it, not for a gain.
 */
async function mayMove(seats: LoopSeats, seat: LoopSeat, { code }: Decision): Promise<boolean> {
  const { turn, purpose } = seats;
  const { stage, model } = seat;
  const isOptional = code === 'gain';
  const step = { purpose, stage, model, request: requestOf(seats, seat), reason: { code: 'route', text: '' } };
  const passage = await passFences(turn, isOptional ? { ...step, isOptional } : step);
  if (passage.type === 'passed') {
    if (stage.where === 'cloud') seats.taint = [];
    return true;
  }
  seats.taint = passage.hits;
  if (passage.isFinal) seats.shut = { code: 'fence', text: passage.stop.text };
  return false;
}

function decide(seats: LoopSeats, trouble: Trouble | null): Decision | null {
  const { turn, all, purpose, shut, taint } = seats;
  if (turn.options.routing === null) return null;
  const step = {
    purpose,
    strategy: 'loop',
    seats: all.map((seat) => seatOf(seats, seat)),
    trouble,
    shut,
    taint,
  } as const;
  return routeStep(turn, step);
}

/** Who takes over is told in two lines who worked before and what went wrong. */
async function moveTo(seats: LoopSeats, seat: LoopSeat, decision: Decision): Promise<void> {
  const { turn, current } = seats;
  const { steps, last } = turn.trajectory.now();
  seats.current = seat;
  const { stage } = seat;
  const index = seats.all.indexOf(seat);
  await turn.log.append({ type: 'stage-chosen', stage, recipe: null, reason: decision.text, index });
  if (steps === 0 || last === null) return;
  const who = `${current.model.info.label} worked on this until here (${steps} steps); you go on from here.`;
  await turn.log.append({ type: 'notice-added', level: 'info', code: 'handover', text: `${who}\n${whyOf(decision)}` });
}

function whyOf({ layer, text }: Decision): string {
  return layer === 'L5' || layer === 'L4' ? text : 'What was done so far stands; nothing needs to be done again.';
}
