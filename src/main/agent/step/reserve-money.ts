import type { ModelInfo } from '@shared/models/model-info.ts';
import { moneyText } from '@shared/money/money-text.ts';
import { spendingLimitNames } from '../../money/limit-names.ts';
import { raisedSteps, suggestedRaiseUsd } from '@shared/money/limit-raise.ts';
import { outputWithin } from '../../routing/fitting-output.ts';
import { costOf, noUsage, worstCostOf } from '@shared/money/token-cost.ts';
import type { CapDecision, CapReached } from '../../money/budget.ts';
import type { LimitStop } from '../turn/turn-limits.ts';
import type { CallingTurn } from '../turn/turn.ts';

export interface GrantedMoney {
  /** Call it with the cost; null: the cost is unknown, so the worst case counts. Safe to call twice. */
  readonly settle: (costUsd: number | null) => void;
  /** By how much the user raised the limit for this call. */
  readonly raisedUsd: number;
  readonly maxOutputTokens: number;
  /** A limit left less than was wanted; null: it did not. */
  readonly limited: LimitedOutput | null;
}

export type Reservation =
  | (GrantedMoney & { readonly type: 'granted' })
  | { readonly type: 'stopped'; readonly stop: LimitStop };

/** Why an answer may only be shorter than wanted. */
export interface LimitedOutput {
  readonly cap: CapReached;
  readonly maxOutputTokens: number;
}

/** The size of a call, in tokens. */
export interface CallSize {
  /** The most that its prompt can have. */
  readonly promptTokens: number;
  /** The longest answer that is wanted. */
  readonly maxOutputTokens: number;
  /** The shortest answer that is worth the call (`leastOutputTokens`). */
  readonly leastOutputTokens: number;
  /** What a call of this kind usually has. */
  readonly usual: { readonly promptTokens: number; readonly outputTokens: number };
  /** At a spending limit, nobody is asked about this call. */
  readonly isOptional?: boolean;
}

/**
 * Reserves the worst-case cost of a call before it is made. Where a spending limit leaves less, the answer may only be
 * as long as it allows, so that the limit holds whatever the model writes. Where that is too little for a useful
 * answer, the turn waits for the user or ends, as its options say; the limit and the answer are in the log. Throws
 * `cancelled` if the turn is aborted meanwhile.
 */
export async function reserveMoney(turn: CallingTurn, info: ModelInfo, size: CallSize): Promise<Reservation> {
  const wanted = size.maxOutputTokens;
  if (info.where === 'local') {
    return { type: 'granted', settle: () => undefined, raisedUsd: 0, maxOutputTokens: wanted, limited: null };
  }
  const { budget } = turn.dependencies;
  const usual = { ...noUsage, freshInput: size.usual.promptTokens, output: size.usual.outputTokens };
  const stepUsd = costOf(usual, info.price);
  const leastUsd = worstCostOf(size.promptTokens, size.leastOutputTokens, info.price);
  let raisedUsd = 0;
  let limited: LimitedOutput | null = null;
  for (;;) {
    const maxOutputTokens: number = limited?.maxOutputTokens ?? wanted;
    const worstUsd = worstCostOf(size.promptTokens, maxOutputTokens, info.price);
    const amounts = { worstUsd, leastUsd, taskCapUsd: turn.options.maxUsd };
    const answer = await budget.reserve({ turnId: turn.id, step: turn.steps.last + 1, ...amounts });
    if (answer.type === 'granted') {
      if (limited !== null) await noteLimited(turn, info, { ...limited, wanted, worstUsd: worstUsd ?? 0 });
      return { type: 'granted', settle: answer.settle, raisedUsd, maxOutputTokens, limited };
    }
    const shorter = shorterOutput(answer.cap, info, { ...size, maxOutputTokens });
    if (shorter !== null) {
      limited = { cap: answer.cap, maxOutputTokens: shorter };
      continue;
    }
    const { cap } = answer;
    const decision = await decideAtCap(turn, info, { cap, stepUsd, asks: size.isOptional !== true });
    const isStuck = decision.answer === 'local' && localOf(turn) === null;
    const text = `${capText(cap, info, stepUsd)}${isStuck ? ` ${stuckText(turn)}` : ''}`;
    if (decision.answer !== 'raise') {
      return { type: 'stopped', stop: { reason: 'cap', text, goesOnLocally: decision.answer === 'local' } };
    }
    await budget.raise(turn.id, cap.scope, decision.usd);
    raisedUsd += decision.usd;
    limited = null;
  }
}

/** Null: what the limit leaves is too little for a useful answer. */
function shorterOutput(
  { limitUsd, spentUsd, heldUsd }: CapReached,
  { price }: ModelInfo,
  size: Pick<CallSize, 'promptTokens' | 'maxOutputTokens' | 'leastOutputTokens'>,
): number | null {
  const within = outputWithin(limitUsd - spentUsd - heldUsd, size.promptTokens, price);
  return within === null || within < size.leastOutputTokens || within >= size.maxOutputTokens ? null : within;
}

async function noteLimited(
  turn: CallingTurn,
  { id: model }: ModelInfo,
  { cap, maxOutputTokens, wanted, worstUsd }: LimitedOutput & { readonly wanted: number; readonly worstUsd: number },
): Promise<void> {
  const { scope, limitUsd, spentUsd, heldUsd } = cap;
  const amounts = { scope, limitUsd, spentUsd, heldUsd, worstUsd };
  await turn.log.append({ type: 'output-limited', model, ...amounts, wantedTokens: wanted, maxOutputTokens });
}

/** The shorter answer in words. */
export function limitedText({ cap: { scope, limitUsd }, maxOutputTokens }: LimitedOutput): string {
  return `Its answer has at most ${maxOutputTokens} tokens, which is what the limit of ${moneyText(limitUsd)} ${spendingLimitNames[scope]} leaves.`;
}

async function decideAtCap(
  turn: CallingTurn,
  info: ModelInfo,
  { cap, stepUsd, asks }: { readonly cap: CapReached; readonly stepUsd: number | null; readonly asks: boolean },
): Promise<CapDecision> {
  const { journal, budget } = turn.dependencies;
  const atCap = asks ? turn.options.atCap : 'stop';
  const capId = journal.newId('approval');
  const reached = await turn.log.append({
    type: 'cap-reached',
    capId,
    model: info.id,
    ...cap,
    here: localOf(turn),
    ...(stepUsd === null ? {} : { stepUsd }),
  });
  turn.limits.noteWaiting(reached.at);
  const said = atCap === 'ask' ? await budget.ask(capId, turn.signal) : null;
  turn.limits.noteWaiting(null);
  // A call without a known price fits under no limit, so raising the limit does not help.
  const asked: CapDecision = said === null || (said.answer === 'raise' && cap.worstUsd === null) ? stops : said;
  const decision: CapDecision = atCap === 'local' ? { answer: 'local' } : asked;
  const answered = await turn.log.close({
    type: 'cap-answered',
    capId,
    answer: decision.answer,
    raisedUsd: decision.answer === 'raise' ? decision.usd : null,
    by: atCap !== 'ask' ? 'policy' : said === null ? 'nobody' : 'person',
  });
  turn.limits.notePause(answered.at - reached.at);
  turn.log.check();
  return decision;
}

/** The local model, which could continue for free. */
function localOf({ found }: CallingTurn): string | null {
  return found.facts?.local?.id ?? null;
}

function stuckText({ options: { local } }: CallingTurn): string {
  const why = local === null ? 'no local model is set up' : `${local} is not on this machine or cannot be used here`;
  return `It cannot continue locally: ${why}.`;
}

const stops: CapDecision = { answer: 'stop' };

function capText(reached: CapReached, info: ModelInfo, stepUsd: number | null): string {
  const { scope, limitUsd, spentUsd, heldUsd, worstUsd } = reached;
  const cap = `limit of ${moneyText(limitUsd)} ${spendingLimitNames[scope]}`;
  if (worstUsd === null)
    return `${info.label} has no known price, so the ${cap} cannot be checked. Set a price under Models, or as "prices" in the settings.`;
  const next = `The next call could exceed your ${cap}: even with a short answer it could cost ${moneyText(worstUsd)}`;
  const raise = suggestedRaiseUsd({ ...reached, ...(stepUsd === null ? {} : { stepUsd }) });
  const goesOn = `To go on for about ${raisedSteps} more steps, raise it to ${moneyText(limitUsd + raise)}.`;
  if (scope === 'step') return `${next}. ${goesOn}`;
  const held = heldUsd > 0 ? ` and ${moneyText(heldUsd)} is reserved for running calls` : '';
  return `${next}, and ${moneyText(spentUsd)} is spent${held}. ${goesOn}`;
}
