import type { ModelInfo } from '@shared/models/model-info.ts';
import { effortSchema } from '@shared/models/model-info.ts';
import type { Price } from '@shared/money/token-cost.ts';
import type { Purpose } from '@shared/events/call-events.ts';
import type { Ability, Priors } from '@shared/routing/priors.ts';
import type { RoutingNumbers } from '@shared/routing/routing.ts';
import { scoreNamed } from './learned-score.ts';

/** Fewer turns may be chance. */
const LEAST_TRIES = 2;
/** Imaginary turns that are added to counted ones, so that a few weigh little. */
const IMAGINED = 4;
const UNKNOWN = 0.85;
/** What one step of thinking adds. */
const EFFORT_STEP = 0.02;

interface Believed {
  readonly purpose?: Purpose;
  /** The weight of the guess, in turns. */
  readonly imagined?: number;
  /** Turns that must be counted before the record is used. */
  readonly least?: number;
}

/**
 * The ability of a model, from its record in this home, else from its size, else from its price. It only ranks models
 * of one turn and says how far they lie apart; what was seen of the task decides about it.
 */
export function abilityOf(
  info: ModelInfo,
  priors: Priors | undefined,
  { purpose = 'act', imagined = IMAGINED, least = LEAST_TRIES }: Believed = {},
): Ability {
  const guess = guessOf(info);
  const own = priors?.[info.id];
  const known = (own?.[purpose]?.tries ?? 0) < least ? own?.act : own?.[purpose];
  if (known === undefined || known.tries < least) return { ...guess, chance: withEffort(guess.chance, info) };
  const chance = (known.solved + imagined * guess.chance) / (known.tries + imagined);
  return { chance: Math.min(0.99, chance), source: 'record' };
}

/** The same for a turn: its score says how much a guess counts beside the record. */
export function abilityIn(
  info: ModelInfo,
  { priors, score }: Pick<RoutingNumbers, 'priors' | 'score'>,
  purpose: Purpose = 'act',
): Ability {
  const learned = scoreNamed(score);
  return abilityOf(info, priors, learned === null ? { purpose } : { purpose, imagined: learned.imagined, least: 0.5 });
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
