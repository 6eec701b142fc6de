import type { ModelEntry } from '@shared/contract/models-contract.ts';

/** Orders may have this many models. */
export const mostOrdered = 12;

/** The smallest first: local models by their size, then those in the cloud by their price. Unknown ones are last. */
function byStrength(left: ModelEntry, right: ModelEntry): number {
  if (left.where !== right.where) return left.where === 'local' ? -1 : 1;
  return strengthOf(left) - strengthOf(right);
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
