import type { ModelInfo } from '@shared/models/model-info.ts';
import { moneyText } from '@shared/money/money-text.ts';
import { worstCostOf } from '@shared/money/token-cost.ts';
import type { CapDecision, CapReached } from '../../money/budget.ts';
import type { LimitStop } from '../turn/turn-limits.ts';
import type { CallingTurn } from '../turn/turn.ts';

export type Reservation =
  /**
   * `settle`: call it with the cost; null: the cost is unknown, so the worst case counts. Safe to call twice.
   * `raisedUsd`: by how much the user raised the limit for this call.
   */
  | { readonly type: 'granted'; readonly settle: (costUsd: number | null) => void; readonly raisedUsd: number }
  | { readonly type: 'stopped'; readonly stop: LimitStop };

/** The largest size that a call can have, in tokens. */
export interface CallSize {
  readonly promptTokens: number;
  readonly maxOutputTokens: number;
  /** At a spending limit, nobody is asked about this call. */
  readonly isOptional?: boolean;
}

const free: Reservation = { type: 'granted', settle: () => undefined, raisedUsd: 0 };

/**
 * Reserves the worst-case cost of a call before it is made. At a spending limit the turn waits for the user or ends, as
 * its options say; the limit and the answer are in the log. Throws `cancelled` if the turn is aborted meanwhile.
 */
export async function reserveMoney(turn: CallingTurn, info: ModelInfo, size: CallSize): Promise<Reservation> {
  if (info.where === 'local') return free;
  const { budget } = turn.dependencies;
  const worstUsd = worstCostOf(size.promptTokens, size.maxOutputTokens, info.price);
  let raisedUsd = 0;
  for (;;) {
    const request = { turnId: turn.id, step: turn.steps.last + 1, worstUsd, taskCapUsd: turn.options.maxUsd };
    const answer = await budget.reserve(request);
    switch (answer.type) {
      case 'granted':
        return { type: 'granted', settle: answer.settle, raisedUsd };
      case 'refused': {
        const decision = await decideAtCap(turn, info, { cap: answer.cap, asks: size.isOptional !== true });
        const isStuck = decision.answer === 'local' && localOf(turn) === null;
        const text = `${capText(answer.cap, info)}${isStuck ? ` ${stuckText(turn)}` : ''}`;
        const stop: LimitStop = { reason: 'cap', text };
        if (decision.answer !== 'raise') {
          return { type: 'stopped', stop: { ...stop, goesOnLocally: decision.answer === 'local' } };
        }
        await budget.raise(turn.id, answer.cap.scope, decision.usd);
        raisedUsd += decision.usd;
        break;
      }
      default:
        return answer satisfies never;
    }
  }
}

async function decideAtCap(
  turn: CallingTurn,
  info: ModelInfo,
  { cap, asks }: { readonly cap: CapReached; readonly asks: boolean },
): Promise<CapDecision> {
  const { journal, budget } = turn.dependencies;
  const atCap = asks ? turn.options.atCap : 'stop';
  const capId = journal.newId('approval');
  const reached = await turn.log.append({ type: 'cap-reached', capId, model: info.id, ...cap, here: localOf(turn) });
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

export const spendingLimitNames: Readonly<Record<CapReached['scope'], string>> = {
  step: 'for one step',
  task: 'for this task',
  session: 'for this session',
  project: 'for this project',
  day: 'for today',
  month: 'for this month',
};

function capText({ scope, limitUsd, spentUsd, heldUsd, worstUsd }: CapReached, info: ModelInfo): string {
  const cap = `the spending limit of ${moneyText(limitUsd)} ${spendingLimitNames[scope]}`;
  if (worstUsd === null)
    return `${info.label} has no known price, so ${cap} cannot be checked. Set a price under Models, or as "prices" in the settings.`;
  const next = `The next call could cost ${moneyText(worstUsd)}`;
  if (scope === 'step') return `${next}, more than ${cap}.`;
  const held = heldUsd > 0 ? ` and ${moneyText(heldUsd)} reserved for running calls` : '';
  return `${next}. Of ${cap}, ${moneyText(spentUsd)} is spent${held}.`;
}
