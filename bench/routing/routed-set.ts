import { boost } from './boosted-trees.ts';
import type { Outcome } from './apgr.ts';
import { dotSparse, fitRidge } from './sparse-ridge.ts';
import { hashText, textWidth, weighText } from './text-features.ts';

/** Items with what two models made of them, and what scores say that saw no item they judge. Higher: the strong one. */
export interface RoutedSet {
  readonly name: string;
  readonly outcomes: readonly Outcome[];
  readonly scores: readonly number[];
  /** The same without hashed words. */
  readonly withoutWords: readonly number[];
  /** The chance that the weak model solves it. Empty: not a share, as in marks from 1 to 10. */
  readonly chances: readonly number[];
  readonly controls: Readonly<Record<string, readonly number[]>>;
}

export interface Items {
  readonly texts: readonly string[];
  readonly outcomes: readonly Outcome[];
  /** Numbers of each item without its words. */
  readonly features: readonly (readonly number[])[];
  /** Which fold each item is judged in. Items that belong together share one. */
  readonly folds: readonly number[];
  /** What is learned instead of the pair's own gain: the same with less chance in it. Only ever for training. */
  readonly smoothGains?: readonly number[];
  readonly penalty: number;
  readonly rounds: number;
  readonly leaf: number;
  readonly wordWeight: number;
}

export interface OutOfFold {
  readonly scores: readonly number[];
  readonly withoutWords: readonly number[];
  readonly chances: readonly number[];
}

/** The gain of every item by models that were trained on the other folds. */
export function outOfFold(items: Items): OutOfFold {
  const { texts, outcomes, features, folds } = items;
  const size = texts.length;
  const gains = items.smoothGains ?? outcomes.map(({ weak, strong }) => strong - weak);
  const hashed = texts.map(hashText);
  const [scores, withoutWords, chances] = [zeros(size), zeros(size), zeros(size)];
  for (const fold of new Set(folds)) {
    const known = places(folds, (own) => own !== fold);
    const words = weighText(hashed, (item) => folds[item] !== fold);
    const mean = known.reduce((sum, item) => sum + (gains[item] ?? 0), 0) / known.length;
    const weights = fitRidge(
      known.flatMap((item) => words[item] ?? []),
      known.map((item) => (gains[item] ?? 0) - mean),
      { width: textWidth, penalty: items.penalty, rounds: 15 },
    );
    const rows = known.map((item) => features[item] ?? []);
    const options = { rounds: items.rounds, depth: 2, rate: 0.05, leaf: items.leaf, sample: 0.6, seed: 1 } as const;
    const gain = boost(
      rows,
      known.map((item) => gains[item] ?? 0),
      { ...options, loss: 'squared' },
    );
    const weak = boost(
      rows,
      known.map((item) => outcomes[item]?.weak ?? 0),
      { ...options, loss: 'logistic' },
    );
    for (const item of places(folds, (own) => own === fold)) {
      const row = features[item] ?? [];
      const own = words[item];
      withoutWords[item] = gain.score(row);
      scores[item] = gain.score(row) + items.wordWeight * (own === undefined ? 0 : dotSparse(own, weights));
      chances[item] = 1 / (1 + Math.exp(-weak.score(row)));
    }
  }
  return { scores, withoutWords, chances };
}

function zeros(size: number): number[] {
  return Array.from({ length: size }, () => 0);
}

export function places(folds: readonly number[], isWanted: (fold: number) => boolean): readonly number[] {
  return folds.flatMap((fold, item) => (isWanted(fold) ? [item] : []));
}

/** The mean gain of each kind, learned on the other folds. */
export function ratesByKind(
  outcomes: readonly Outcome[],
  kinds: readonly string[],
  folds: readonly number[],
): readonly number[] {
  return outcomes.map((_, item) => {
    const known = places(folds, (fold) => fold !== folds[item]).filter((other) => kinds[other] === kinds[item]);
    const sum = known.reduce((total, other) => {
      const outcome = outcomes[other];
      return total + (outcome === undefined ? 0 : outcome.strong - outcome.weak);
    }, 0);
    return sum / (known.length + 5);
  });
}
