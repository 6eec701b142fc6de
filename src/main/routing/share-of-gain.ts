import { abilityIn } from './ability.ts';
import type { ChoiceFacts, ModelOption, Pair } from './define.ts';
import { scoreNamed, takeoverChance } from './learned-score.ts';

/** Abilities never fall along the person's order, so that the order is true whatever is guessed from size and price. */
const LEAST_STEP = 0.02;

/** What of the gain this option brings, and what the first one does better. */
export function shareOf(
  facts: ChoiceFacts,
  base: ModelOption | null,
  option: ModelOption,
): Pick<Pair, 'share' | 'loss'> {
  const { options, numbers, purpose } = facts;
  const counted = base === null ? null : countedShare(facts, base, option);
  if (counted !== null) return counted;
  let before = 0;
  const chances = new Map<ModelOption['info'], number>();
  for (const { info } of options) {
    if (chances.has(info)) continue;
    before = Math.max(abilityIn(info, numbers, purpose).chance, before + (chances.size === 0 ? 0 : LEAST_STEP));
    chances.set(info, before);
  }
  const from = base === null ? 0 : (chances.get(base.info) ?? 0);
  const learned = scoreNamed(numbers.score);
  if (learned !== null && base !== null) {
    return { share: takeoverChance(learned, from, chances.get(option.info) ?? from) };
  }
  const top = Math.max(...chances.values());
  const own = chances.get(option.info) ?? top;
  return { share: top <= from ? 1 : Math.max(0, (own - from) / (top - from)) };
}

/** What both records leave to gain, of what the weaker one misses. Null: one of them is not known well enough. */
function countedShare(
  { numbers, purpose }: Pick<ChoiceFacts, 'numbers' | 'purpose'>,
  base: ModelOption,
  option: ModelOption,
): Required<Pick<Pair, 'share' | 'loss'>> | null {
  const ableOf = ({ info }: ModelOption) => abilityIn(info, numbers, purpose);
  const [weaker, stronger] = [ableOf(base), ableOf(option)];
  if (weaker.source !== 'record' || stronger.source !== 'record') return null;
  const more = stronger.chance - weaker.chance;
  return { share: Math.max(0, more / (1 - weaker.chance)), loss: Math.max(0, -more) };
}
