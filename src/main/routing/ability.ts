import type { ModelInfo } from '@shared/models/model-info.ts';
import { effortSchema } from '@shared/models/model-info.ts';
import type { Price } from '@shared/money/token-cost.ts';
import type { Purpose } from '@shared/events/call-events.ts';
import type { Ability } from '@shared/routing/priors.ts';
import type { RoutingNumbers } from '@shared/routing/routing.ts';
import { scoreNamed } from './learned-score.ts';

/**
 * Turns that must be counted before a record is used, and imaginary ones that are added to them, so that a few weigh
 * little. `learned`: beside a learned score, which says itself how many to add.
 */
const believed = { byHand: { least: 2, imagined: 4 }, learned: { least: 0.5 } } as const;
const UNKNOWN = 0.85;
/** What one step of thinking adds. */
const EFFORT_STEP = 0.02;

/**
 * The ability of a model for steps of one kind, from its record, else from its size, else from its price. It only ranks
 * models of one turn and says how far they lie apart; what was seen of the task decides about it. The score says how
 * much a guess counts beside the record.
 */
export function abilityIn(
  info: ModelInfo,
  { priors, score }: Pick<RoutingNumbers, 'priors' | 'score'>,
  purpose: Purpose,
): Ability {
  const learned = scoreNamed(score);
  const { least, imagined } = learned === null ? believed.byHand : { ...believed.learned, imagined: learned.imagined };
  const guess = guessOf(info);
  const own = priors?.[info.id];
  const known = (own?.[purpose]?.tries ?? 0) < least ? own?.act : own?.[purpose];
  if (known === undefined || known.tries < least) return { ...guess, chance: withEffort(guess.chance, info) };
  const chance = (known.solved + imagined * guess.chance) / (known.tries + imagined);
  return { chance: Math.min(0.99, chance), source: 'record' };
}

/** By size on a logarithmic scale: 1.5B a quarter, 30B three quarters. By price: $0.40 an answer of a million, $25. */
function guessOf({ parametersB, price, where }: ModelInfo): Ability {
  if (parametersB !== null) return { chance: between(0.1, 0.2 + 0.16 * Math.log2(parametersB), 0.9), source: 'size' };
  const output = where === 'cloud' ? outputPrice(price) : null;
  if (output === null) return { chance: where === 'cloud' ? UNKNOWN : UNKNOWN - 0.2, source: 'unknown' };
  return { chance: between(0.65, 0.75 + 0.045 * Math.log2(Math.max(output, 0.1)), 0.97), source: 'price' };
}

function outputPrice(price: Price | null): number | null {
  return price === null || price.output === 0 ? null : price.output;
}

function withEffort(chance: number, { effort }: ModelInfo): number {
  const step = effort === undefined ? 0 : effortSchema.options.indexOf(effort) - 2;
  return between(0.05, chance + step * EFFORT_STEP, 0.98);
}

function between(least: number, value: number, most: number): number {
  return Math.min(most, Math.max(least, value));
}
