import type { ModelEntry } from '@shared/contract/models-contract.ts';

/** Orders may have this many models. */
export const mostOrdered = 12;

/**
 * The weakest first, local models before those in the cloud: as the router ranks them, by what they solved here, else by
 * size and price. Unknown ones are last.
 */
function byStrength(left: ModelEntry, right: ModelEntry): number {
  if (left.where !== right.where) return left.where === 'local' ? -1 : 1;
  const [one, other] = [rankOf(left), rankOf(right)];
  // Two unknown ranks are the same, and their difference would be no number.
  return one === other ? strengthOf(left) - strengthOf(right) : one - other;
}

function rankOf({ ability }: ModelEntry): number {
  return ability === undefined || ability.source === 'unknown' ? Number.POSITIVE_INFINITY : ability.chance;
}

function strengthOf({ where, info }: ModelEntry): number {
  if (where === 'local') return info?.parametersB ?? Number.MAX_VALUE;
  return info?.price?.output ?? Number.MAX_VALUE;
}

/** An order with one more model, before the first that is stronger. Models that are not in the list stay in place. */
export function withModel(order: readonly string[], added: ModelEntry, models: readonly ModelEntry[]): string[] {
  const at = order.findIndex((id) => {
    const model = models.find((one) => one.id === id);
    return model !== undefined && byStrength(model, added) > 0;
  });
  return at < 0 ? [...order, added.id] : [...order.slice(0, at), added.id, ...order.slice(at)];
}

/** The same models, the smallest first. Those that are not in the list come last, in their old order. */
export function sortedOrder(order: readonly string[], models: readonly ModelEntry[]): string[] {
  const known = models.filter(({ id }) => order.includes(id)).sort(byStrength);
  return [...known.map(({ id }) => id), ...order.filter((id) => known.every((one) => one.id !== id))];
}
