import { discoverRules } from '../../src/main/routing/registry.ts';
import { replacedRules } from '../../src/main/routing/learned-score.ts';
import { boost, type Boosted } from './boosted-trees.ts';
import {
  type Episode,
  isOpenAfter,
  isSolved,
  rateOf,
  readDatabases,
  readRuns,
  seenFeatures,
  shapeFeatures,
} from './intercode.ts';
import type { RoutedSet } from './routed-set.ts';
import { prefixesOf, prefixOf, scoreOf, type Trained, trainScore } from './train-score.ts';

/** How many turns are seen before it is decided. */
export const turnsSeen = 3;
const FOLDS = 10;

export interface StepSets {
  /** The pair of the figure, with everything that the turns show. */
  readonly full: RoutedSet;
  /** The same pair by the score in the form that is shipped. Its controls have the weights set by hand. */
  readonly shipped: RoutedSet;
  /** Every open state of every model on unseen databases, with the stated chance. */
  readonly states: readonly { readonly chance: number; readonly solved: boolean }[];
}

/** InterCode-SQL after three turns, open runs only. No database is both learned from and judged. */
export async function readSteps(data: string): Promise<StepSets> {
  const runs = (await readRuns(data)).filter(({ environment }) => environment === 'sql');
  const databases = await readDatabases(data);
  const names = [...new Set(databases.values())].sort();
  const foldOf = (task: string): number => names.indexOf(databases.get(task) ?? '') % FOLDS;
  const weak = runs.find(({ model }) => model === 'gpt-3.5')?.episodes ?? new Map<string, Episode>();
  const strong = runs.find(({ model }) => model === 'gpt-4')?.episodes ?? new Map<string, Episode>();
  const open = [...weak.values()].filter((episode) => isOpenAfter(episode, turnsSeen));
  const outcomes = open.map((episode) => ({ weak: Number(isSolved(episode)), strong: solvedBy(strong, episode) }));
  const [full, shipped, chances] = [fill(open, 0), fill(open, 0), fill(open, 0)];
  const states: { readonly chance: number; readonly solved: boolean }[] = [];
  for (let fold = 0; fold < FOLDS; fold += 1) {
    const isKnown = (episode: Episode): boolean => foldOf(episode.task) !== fold;
    const known = [...weak.values()].filter(isKnown);
    const models = fitFull(known, strong);
    const trained = trainScore(runs.flatMap((one) => prefixesOf(one, isKnown)));
    for (const one of runs) states.push(...statesOf(one, isKnown, trained));
    const rate = known.filter(isSolved).length / known.length;
    for (const [item, episode] of open.entries()) {
      if (isKnown(episode)) continue;
      const row = fullRow(episode, turnsSeen);
      full[item] = chance(models.strong.score(row)) * (1 - chance(models.weak.score(row)));
      chances[item] = chance(scoreOf(trained, prefixOf(episode, turnsSeen, rate)));
      shipped[item] = 1 - (chances[item] ?? 0);
    }
  }
  const seen = open.map((episode) => seenFeatures(episode, turnsSeen));
  const controls = {
    'random at the same budget': open.map((_, item) => (item * 7919) % 1009),
    'length of the task': open.map(({ query }) => query.length),
    'steps that went wrong': open.map(({ failed }) => failed.slice(0, turnsSeen).filter(Boolean).length),
    'weights set by hand': seen.map(handVotes),
  };
  const usual = { outcomes, chances, controls };
  return {
    full: { name: 'InterCode-SQL, three turns seen', ...usual, scores: full, withoutWords: full },
    shipped: { name: 'the shipped score, three turns seen', ...usual, scores: shipped, withoutWords: shipped },
    states,
  };
}

function solvedBy(episodes: ReadonlyMap<string, Episode>, { task }: Episode): number {
  const own = episodes.get(task);
  return own !== undefined && isSolved(own) ? 1 : 0;
}

function fill(items: readonly unknown[], value: number): number[] {
  return items.map(() => value);
}

/** The votes that the learned score replaces, as they were set by hand. */
function handVotes(features: Readonly<Record<string, number>>): number {
  const names = { weaker: 'a', stronger: 'b' };
  const own = { ...features, stepsWithoutWrite: features.steps ?? 0, writes: 0 };
  return discoverRules()
    .filter(({ id }) => replacedRules.has(id))
    .flatMap((rule) => rule.vote(own, names))
    .reduce((sum, { toward, weight }) => sum + (toward === 'cloud' ? weight : -weight), 0);
}

function statesOf(
  runs: Parameters<typeof prefixesOf>[0],
  isKnown: (episode: Episode) => boolean,
  trained: Trained,
): readonly { readonly chance: number; readonly solved: boolean }[] {
  const known = (task: string): boolean => {
    const episode = runs.episodes.get(task);
    return episode !== undefined && isKnown(episode);
  };
  const unseen = prefixesOf(runs, (episode) => !isKnown(episode), rateOf(runs, known));
  return unseen.map((row) => ({ chance: chance(scoreOf(trained, row)), solved: row.solved }));
}

function fitFull(
  known: readonly Episode[],
  strong: ReadonlyMap<string, Episode>,
): { readonly weak: Boosted; readonly strong: Boosted } {
  const rows: (readonly number[])[] = [];
  const [weakLabels, strongLabels]: [number[], number[]] = [[], []];
  for (const episode of known) {
    for (let turns = turnsSeen - 1; turns <= turnsSeen + 2; turns += 1) {
      if (!isOpenAfter(episode, turns)) continue;
      rows.push(fullRow(episode, turns));
      weakLabels.push(Number(isSolved(episode)));
      strongLabels.push(solvedBy(strong, episode));
    }
  }
  const options = { rounds: 120, depth: 2, rate: 0.06, leaf: 20, sample: 0.6, loss: 'logistic', seed: 1 } as const;
  return { weak: boost(rows, weakLabels, options), strong: boost(rows, strongLabels, options) };
}

function fullRow(episode: Episode, turns: number): readonly number[] {
  return [...Object.values(seenFeatures(episode, turns)), ...shapeFeatures(episode, turns)];
}

function chance(odds: number): number {
  return 1 / (1 + Math.exp(-odds));
}
