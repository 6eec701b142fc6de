import { createHash } from 'node:crypto';
import { byModel, type ByModel, readRows } from './read-data.ts';
import { boost, type Boosted } from './boosted-trees.ts';
import { type Episode, isOpenAfter, isSolved, rateOf, type Runs, seenFeatures } from './intercode.ts';
import { fitLogistic } from './logistic.ts';

/** The features of a run that the shipped score sees. All are counted by the product, too (`routing-features.ts`). */
export const partNames = [
  'stepShare',
  'consecutiveFailures',
  'severity',
  'repeatedCalls',
  'sameErrors',
  'emptyResults',
] as const;

/** How many turns of a run are seen at most. */
const MOST_TURNS = 6;

/** What was seen of a run after some turns, and whether it was solved in the end. */
export interface Prefix {
  readonly task: string;
  readonly ability: number;
  readonly parts: readonly number[];
  readonly solved: boolean;
}

/** Every open state of these runs. `rate`: what the model solves of the tasks that may be known. */
export function prefixesOf(
  runs: Runs,
  isKnown: (episode: Episode) => boolean,
  rate = rateOf(runs, (task) => isKnownTask(runs, task, isKnown)),
): readonly Prefix[] {
  const found: Prefix[] = [];
  for (const episode of runs.episodes.values()) {
    if (!isKnown(episode)) continue;
    for (let turns = 0; turns <= MOST_TURNS; turns += 1)
      if (isOpenAfter(episode, turns)) found.push(prefixOf(episode, turns, rate));
  }
  return found;
}

function isKnownTask({ episodes }: Runs, task: string, isKnown: (episode: Episode) => boolean): boolean {
  const episode = episodes.get(task);
  return episode !== undefined && isKnown(episode);
}

export function prefixOf(episode: Episode, turns: number, rate: number): Prefix {
  const seen = seenFeatures(episode, turns);
  const parts = partNames.map((name) => seen[name] ?? 0);
  return { task: episode.task, ability: logOdds(rate), parts, solved: isSolved(episode) };
}

export interface Trained {
  readonly base: number;
  readonly ability: number;
  /** What the ability counts less with each step, because the easy tasks of an able model are done by then. */
  readonly fading: number;
  readonly share: number;
  readonly parts: Boosted;
}

/** First the line over the model's own rate, then stumps over what was seen, so that the score is a sum. */
export function trainScore(rows: readonly Prefix[], seed = 1): Trained {
  const targets = rows.map(({ solved }) => (solved ? 1 : 0));
  const [base = 0, ability = 0, fading = 0, share = 0] = fitLogistic(
    rows.map((row) => [row.ability, row.ability * (row.parts[0] ?? 0), row.parts[0] ?? 0]),
    targets,
  );
  const offsets = rows.map(
    (row) => base + row.ability * (ability + fading * (row.parts[0] ?? 0)) + share * (row.parts[0] ?? 0),
  );
  const parts = boost(
    rows.map((row) => row.parts),
    targets,
    // A failure never speaks for a model.
    { rounds: 150, depth: 1, rate: 0.1, leaf: 60, sample: 0.6, loss: 'logistic', seed, offsets, monotone },
  );
  return { base, ability, fading, share, parts };
}

const monotone = { 1: -1, 2: -1, 3: -1, 4: -1, 5: -1 } as const;

export function scoreOf(
  { base, ability, fading, share, parts }: Trained,
  row: Pick<Prefix, 'ability' | 'parts'>,
): number {
  const used = row.parts[0] ?? 0;
  return base + row.ability * (ability + fading * used) + share * used + parts.score(row.parts);
}

/** Places of the share of steps, where its line becomes a step function. */
const sharePlaces = [0, 0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.4, 0.5, 0.6] as const;

/** The stumps of each feature as one step function. The line over the share of steps is part of the first. */
export function partsOf({ parts, share }: Trained): Readonly<Record<string, { edges: number[]; values: number[] }>> {
  const all = partNames.map((name, feature) => {
    const own = parts.trees.flatMap((tree) => (typeof tree !== 'number' && tree.feature === feature ? [tree] : []));
    const places = feature === 0 ? sharePlaces : own.map(({ edge }) => edge);
    const edges = [...new Set(places)].sort((left, right) => left - right);
    const at = (value: number): number =>
      own.reduce((sum, { edge, left, right }) => sum + Number(value <= edge ? left : right), 0);
    // Nothing is known of longer runs than the longest that was seen.
    const line = (value: number): number => (feature === 0 ? share * Math.min(value, 0.6) : 0);
    const values = [...edges, 1e9].map((value) => Number((at(value) + line(value)).toFixed(4)));
    return [name, { edges, values }] as const;
  });
  return Object.fromEntries(all);
}

/** Two models on the same items. */
interface PairCounts {
  readonly weaker: number;
  readonly stronger: number;
  readonly missed: number;
  readonly rescued: number;
}

/**
 * How often each stronger model solves what a weaker one does not, over many models. Only data whose licence lets what
 * was learned from it be given on.
 */
export async function readPairs(folder: string, runs: readonly Runs[]): Promise<readonly PairCounts[]> {
  const sets = [await predicted(folder), ...outcomesOf(runs)];
  return sets.flatMap((models) =>
    [...models.values()].flatMap((weaker) =>
      [...models.values()].flatMap((stronger): readonly PairCounts[] => {
        const items = [...weaker.keys()].filter((item) => stronger.has(item));
        const mean = (of: ReadonlyMap<string, number>): number =>
          items.reduce((sum, item) => sum + (of.get(item) ?? 0), 0) / items.length;
        const [low, high] = [mean(weaker), mean(stronger)];
        if (high <= low + 0.02) return [];
        let [missed, rescued] = [0, 0];
        for (const item of items) {
          const miss = 1 - (weaker.get(item) ?? 0);
          missed += miss;
          rescued += miss * (stronger.get(item) ?? 0);
        }
        return [{ weaker: low, stronger: high, missed, rescued }];
      }),
    ),
  );
}

/** What each model solved, by environment. */
function outcomesOf(runs: readonly Runs[]): readonly ByModel[] {
  const environments = [...new Set(runs.map(({ environment }) => environment))];
  return environments.map((environment) =>
    byModel(
      runs
        .filter((one) => one.environment === environment)
        .flatMap(({ model, episodes }) =>
          [...episodes.values()].map((one) => [model, one.task, isSolved(one) ? 1 : 0] as const),
        ),
    ),
  );
}

async function predicted(folder: string): Promise<ByModel> {
  const rows = await readRows(`${folder}/ZeroEval-crux`, 'crux_output_prediction_passfail.csv.xz');
  return byModel(rows.map(([item = '', model = '', correct = '']) => [model, item, Number(correct)]));
}

/** The line of the log odds of a rescue over both rates. */
export function fitRescue(pairs: readonly PairCounts[]): { base: number; stronger: number; weaker: number } {
  const rows = pairs.map(({ stronger, weaker }) => [logOdds(stronger), logOdds(weaker)]);
  const targets = pairs.map(({ missed, rescued }) => rescued / missed);
  const [base = 0, stronger = 0, weaker = 0] = fitLogistic(rows, targets);
  const short = (value: number): number => Number(value.toFixed(4));
  return { base: short(base), stronger: short(stronger), weaker: short(weaker) };
}

export function hashOf(values: unknown): string {
  return createHash('sha256').update(JSON.stringify(values)).digest('hex');
}

export function logOdds(share: number): number {
  const inside = Math.min(0.98, Math.max(0.02, share));
  return Math.log(inside / (1 - inside));
}
