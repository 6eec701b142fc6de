import { roundMoneyText } from '@shared/money/money-text.ts';
import type { ChoiceFacts, Denial, ModelOption, Verdict } from './define.ts';
import { byRecord, openQuestion } from './keep-by-record.ts';
import type { Comparison, CostGuess } from './weigh-options.ts';

/** What may be chosen, and how it compares. */
export interface Choice {
  readonly open: readonly ModelOption[];
  readonly compared: Comparison;
  /** Why an option that did not give up may not work; null: all of them may. */
  readonly denial: Denial | null;
}

/** L1 and L2: the expected gain against the expected cost until the end. In doubt, work starts and stays cheap. */
export function byScore(facts: ChoiceFacts, { open, compared }: Choice): Verdict {
  const { trajectory, numbers } = facts;
  const layer = isOfConversation(facts.purpose) && trajectory.steps === 0 ? 'L1' : 'L2';
  const base = open[0] ?? null;
  const last = open.find(({ info }) => info.id === trajectory.last?.model) ?? null;
  const best = compared.best(open);
  // A model may be there twice, by its loop and by a recipe. It is no rival of itself.
  const others = open.filter((option) => !isSameModel(option, base));
  const rival = compared.best(others);
  const isOwn = best !== null && isSameModel(best.option, base);
  if (best === null || base === null || (isOwn && rival === null && (others.length > 0 || best.option === base))) {
    return { chosen: last ?? base, layer, code: 'unpriced', text: unpricedText(others, base) };
  }
  const isAbove = last !== null && last !== base;
  const known =
    rival === null ? null : byRecord(facts, { base, rival: rival.option, score: compared.scoreOf(rival.option) });
  if (known !== null) return known;
  // The remaining cost of a task is too uncertain to weigh it against work that small local models have never done
  // correctly.
  const top = rival?.option ?? null;
  const isNewWork = compared.scoreOf(top)?.votes.some(({ rule }) => rule === 'new-work') === true;
  if (isNewWork && (trajectory.steps === 0 || isAbove)) {
    const text = `The task asks for something new that no test judges, and ${base.info.label} is small: ${top?.info.label ?? 'another model'} does it.`;
    return { chosen: top, layer, code: 'gain', text };
  }
  if (isAbove && trajectory.steps > 0) return stayOrLeave(numbers.marginUsd, { last, base, best, compared });
  const begins = trajectory.steps === 0 ? 'starts' : 'continues';
  if (isOwn && (rival === null || best.advantageUsd > numbers.marginUsd)) {
    const isOther = best.option !== base && best.advantageUsd > numbers.marginUsd;
    const text = `${base.info.label} ${begins}: no other model is worth more.${openQuestion(facts, base)}`;
    return { chosen: isOther ? best.option : base, layer, code: isOther ? 'gain' : 'local-first', text };
  }
  const { option: shown, advantageUsd } = isOwn ? (rival ?? best) : best;
  const gain = `would help in about ${percent(compared.scoreOf(shown)?.gain ?? 0)} of such cases`;
  const there = shown.info.label;
  if (advantageUsd > numbers.marginUsd) {
    const text = `${there} is worth its price: it ${gain}, a gain of ${roundMoneyText(advantageUsd)}.${openQuestion(facts, base)}`;
    return { chosen: shown, layer, code: 'gain', text };
  }
  const score = compared.scoreOf(shown);
  const guess = advantageUsd < 0 ? (score?.guess ?? null) : null;
  const why = guess === null ? `${weighed(advantageUsd, score?.steps ?? 1)}.` : guessed(guess, trajectory.steps);
  const text = `${base.info.label} ${begins}: ${there} ${gain}, ${why}${openQuestion(facts, base)}`;
  const missing = `for a gain of ${roundMoneyText(numbers.marginUsd - advantageUsd)} more`;
  const otherwise = `${there}, ${guess === null ? missing : `if ${base.info.label} gets stuck`}.`;
  return { chosen: base, layer, code: 'local-first', text, otherwise };
}

function isSameModel({ info }: ModelOption, other: ModelOption | null): boolean {
  return other !== null && info.id === other.info.id && info.effort === other.info.effort;
}

const kindNames = { question: 'a question', repair: 'a repair', change: 'a change' } as const;

/** Without a record, the price is a guess by the kind of the task, and in doubt the work stays cheap. */
function guessed({ kind, usd }: CostGuess, steps: number): string {
  const what = `${steps === 0 ? '' : 'the rest of '}${kindNames[kind]}`;
  const range = usd.value === 0 ? '' : ` (${roundMoneyText(usd.low)} to ${roundMoneyText(usd.high)})`;
  const doubt = `In doubt, the work ${steps === 0 ? 'starts' : 'stays'} where it costs less.`;
  return `and ${what} there is likely to cost ${roundMoneyText(usd.value)}${range}. ${doubt}`;
}

/** None of the others has a price, so nothing can be weighed. */
function unpricedText(others: readonly ModelOption[], base: ModelOption | null): string {
  const names = [...new Set(others.map(({ info }) => info.label))];
  const who = names.length === 0 ? 'The other model' : names.join(' and ');
  const [has, is] = names.length > 1 ? ['have', 'they are'] : ['has', 'it is'];
  return `${who} ${has} no known price, so ${is} used only where ${base?.info.label ?? 'no other model'} fails.`;
}

/** By the record of the model: the sum says how many steps it counts. */
function weighed(advantageUsd: number, steps: number): string {
  if (advantageUsd >= 0) return 'too few to switch';
  const over = steps === 1 ? '1 step' : `${steps} steps`;
  return `but for ${over} it costs ${roundMoneyText(-advantageUsd)} more than that is worth`;
}

interface Above {
  readonly last: ModelOption;
  readonly base: ModelOption;
  readonly best: { readonly option: ModelOption; readonly advantageUsd: number };
  readonly compared: Comparison;
}

/** A stronger model works: it stays unless another is worth more by the margin, and its cache is not lost for that. */
function stayOrLeave(marginUsd: number, { last, base, best, compared }: Above): Verdict {
  const own = compared.advantage(last) ?? 0;
  const place = `with ${last.info.label}`;
  if (best.option === last || best.advantageUsd - own < marginUsd) {
    const text = `The work stays ${place}: a gain of ${roundMoneyText(own)}.`;
    return { chosen: last, layer: 'L2', code: 'gain', text };
  }
  if (compared.scoreOf(last)?.isLeavingRisky === true) {
    const text = `The work stays ${place}: switching back now and returning later could cost more.`;
    return { chosen: last, layer: 'L2', code: 'cache', text };
  }
  const saved = roundMoneyText(best.advantageUsd - own);
  if (best.option === base && base.info.where === 'local') {
    return { chosen: base, layer: 'L2', code: 'back-home', text: `Back to ${base.info.label}, which saves ${saved}.` };
  }
  return { chosen: best.option, layer: 'L2', code: 'gain', text: `${best.option.info.label} is worth ${saved} more.` };
}

export function capital(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}`;
}

function percent(share: number): string {
  return `${Math.round(share * 100)}%`;
}

/** Whether the step is one of the conversation, and no question outside it. */
export function isOfConversation(purpose: ChoiceFacts['purpose']): boolean {
  return purpose === 'act' || purpose === 'plan';
}
