import { readRows, readText } from './read-data.ts';

/** A run of a model on a task, turn by turn. */
export interface Episode {
  readonly task: string;
  readonly query: string;
  readonly actions: readonly string[];
  readonly observations: readonly string[];
  /** The environment refused the action, or its answer was an error. */
  readonly failed: readonly boolean[];
  /** The turn that solved the task; null: none did. */
  readonly solvedAt: number | null;
  /** The most turns that a run may have. */
  readonly limit: number;
}

/** The runs of one model in one environment, by task. */
export interface Runs {
  readonly model: string;
  readonly environment: string;
  readonly episodes: ReadonlyMap<string, Episode>;
}

interface RawEpisode {
  readonly query?: string;
  readonly summary: { readonly turns_max: number };
  readonly turn_history: {
    readonly actions: readonly unknown[];
    readonly observations: readonly unknown[];
    readonly rewards: readonly number[];
    readonly valid_action: readonly boolean[];
  };
}

/** The files of a model in an environment. Runs on Bash are in four parts with their own tasks. */
const parts = [
  ['sql', 'gpt-4', ['gpt-4_10']],
  ['sql', 'gpt-3.5', ['gpt-3.5_10']],
  ['sql', 'vicuna', ['vicuna_10']],
  ['sql', 'starchat', ['starchat_10']],
  ['bash', 'gpt-4', ['1', '2', '3', '4']],
  ['bash', 'gpt-3.5', ['1', '3', '4']],
  ['bash', 'vicuna', ['1', '2', '3', '4']],
  ['bash', 'starchat', ['1', '2', '3', '4']],
  ['python', 'gpt-3.5', ['gpt-3.5_7']],
  ['python', 'gpt-4', ['gpt-4_7']],
] as const;

function fileOf(environment: string, model: string, part: string): string {
  if (environment === 'bash') return `bash__${model}__ic_bash_multiturn_${model}_10_turns_fs_${part}.json.xz`;
  const folder = environment === 'python' ? 'gpt-3.5' : model;
  return `${environment}__${folder}__ic_${environment}_multiturn_${part}_turns.json.xz`;
}

export async function readRuns(folder: string): Promise<readonly Runs[]> {
  const all: Runs[] = [];
  for (const [environment, model, names] of parts) {
    const episodes = new Map<string, Episode>();
    for (const name of names) {
      const text = await readText(`${folder}/intercode`, fileOf(environment, model, name));
      // The form of the file is in its README; a wrong one fails where it is used.
      const raw: Readonly<Record<string, RawEpisode>> = JSON.parse(text);
      for (const [key, one] of Object.entries(raw)) {
        const task = environment === 'bash' ? `${name}-${key}` : key;
        episodes.set(task, episodeOf(task, one));
      }
    }
    all.push({ model, environment, episodes });
  }
  return all;
}

/** The database of each task, for folds. */
export async function readDatabases(folder: string): Promise<ReadonlyMap<string, string>> {
  const rows = await readRows(`${folder}/intercode`, 'sql_task_db_inferred.csv');
  return new Map(rows.map(([task = '', database = '']) => [task, database]));
}

function episodeOf(task: string, { query = '', turn_history: history, summary }: RawEpisode): Episode {
  const text = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value ?? ''));
  const observations = history.observations.map(text);
  const solvedAt = history.rewards.indexOf(1);
  return {
    task,
    query,
    actions: history.actions.map(text),
    observations,
    failed: observations.map((one, at) => history.valid_action[at] === false || one.startsWith('Error')),
    solvedAt: solvedAt < 0 ? null : solvedAt,
    limit: summary.turns_max,
  };
}

/** Whether the run was still open after so many turns: a finished one gives its end away. */
export function isOpenAfter({ solvedAt, actions }: Episode, turns: number): boolean {
  return actions.length > turns && (solvedAt === null || solvedAt >= turns);
}

export function isSolved({ solvedAt }: Episode): boolean {
  return solvedAt !== null;
}

/** Share of all tasks that the model solved. */
export function rateOf({ episodes }: Runs, isKnown: (task: string) => boolean = () => true): number {
  const known = [...episodes.values()].filter(({ task }) => isKnown(task));
  return known.filter(isSolved).length / Math.max(1, known.length);
}

/** What a run looks like after some turns, by the names that the product uses for its own steps. */
export function seenFeatures(
  { actions, observations, failed, limit }: Episode,
  turns: number,
): Readonly<Record<string, number>> {
  const calls = new Set<string>();
  const errors = new Set<string>();
  let [repeatedCalls, sameErrors, emptyResults, consecutiveFailures] = [0, 0, 0, 0];
  const severities: number[] = [];
  for (let turn = 0; turn < turns; turn += 1) {
    const [action = '', result = '', isBad = false] = [actions[turn], observations[turn], failed[turn]];
    const isRepeated = calls.has(action);
    calls.add(action);
    if (isRepeated) repeatedCalls += 1;
    if (!isBad && isEmptyResult(result)) emptyResults += 1;
    if (isBad) {
      if (errors.has(result)) sameErrors += 1;
      errors.add(result);
    }
    consecutiveFailures = isBad || isRepeated ? consecutiveFailures + 1 : 0;
    severities.push(isBad || isRepeated ? 0.7 : 0);
  }
  const severity = severities.slice(-3).reduce((sum, one) => sum + one, 0);
  return {
    stepShare: turns / limit,
    steps: turns,
    consecutiveFailures,
    severity,
    repeatedCalls,
    sameErrors,
    emptyResults,
  };
}

export function isEmptyResult(result: string): boolean {
  return result === '' || result === '[]' || result === 'None';
}

/** More of the same run, without any word of the task: sizes, and what is like what. */
export function shapeFeatures({ query, actions, observations, failed }: Episode, turns: number): readonly number[] {
  const last = turns - 1;
  const [action = '', result = ''] = [actions[last], observations[last]];
  const [words, own, before] = [wordsOf(query), wordsOf(action), wordsOf(actions[last - 1] ?? '')];
  const size = (texts: readonly string[]): number => texts.slice(0, turns).reduce((sum, one) => sum + one.length, 0);
  const seen = new Set(observations.slice(0, last).flatMap((one) => [...wordsOf(one)]));
  const long = [...own].filter((word) => word.length > 3);
  return [
    Math.log1p(action.length),
    Math.log1p(result.length),
    Math.log1p(size(actions)),
    Math.log1p(size(observations)),
    Math.log1p(query.length),
    own.size,
    likeness(own, before),
    likeness(own, words),
    [...words].filter((word) => own.has(word)).length / Math.max(1, words.size),
    long.filter((word) => seen.has(word)).length / Math.max(1, long.length),
    failed[last] === true ? 1 : 0,
    failed[last - 1] === true ? 1 : 0,
    isEmptyResult(result) ? 1 : 0,
    result === observations[last - 1] ? 1 : 0,
    (result.match(/\(/g) ?? []).length,
  ];
}

function wordsOf(text: string): ReadonlySet<string> {
  return new Set(text.toLowerCase().match(/[a-z_]+|\d+/g) ?? []);
}

function likeness(left: ReadonlySet<string>, right: ReadonlySet<string>): number {
  const both = [...left].filter((word) => right.has(word)).length;
  return both / Math.max(1, left.size + right.size - both);
}
