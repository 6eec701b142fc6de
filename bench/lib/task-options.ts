import { parseArgs } from 'node:util';
import type { KnownOfProject } from '../../src/main/compose-project.ts';
import type { RecipeSettings } from '../../src/main/recipes/define.ts';
import type { Strategy } from '@shared/models/model-info.ts';
import { drawOrder, type Task } from './tasks.ts';
import { UsageError } from './usage-error.ts';

export type Kind = Task['kind'];

export interface TaskOptions {
  /** `PROVIDER/NAME` */
  readonly models: readonly string[];
  readonly strategies: readonly Strategy[];
  readonly split: 'dev' | 'held' | 'all';
  readonly kinds: readonly Kind[];
  /** A glob over ids. Null: every task. */
  readonly only: string | null;
  readonly limit: number | null;
  readonly seed: number;
  /** Recipe settings that differ from the users' defaults, and the seed. */
  readonly recipe: Partial<RecipeSettings>;
  /** What the core does without. With `isPaired`, every task is also done with it. */
  readonly without: readonly KnownOfProject[];
  readonly isPaired: boolean;
  /** The image for the commands of sessions. Null: the one that users get. */
  readonly image: string | null;
  /** Settings of the models, as in `dewpoint models set`. Empty: the users' defaults. */
  readonly drive: Readonly<Record<string, string | number>>;
  /** For one task, as in `dewpoint run --max-minutes`. */
  readonly maxMinutes: number;
  /** No task starts after this time. Finished tasks are in the results file. */
  readonly totalMinutes: number | null;
  /** Whether Dewpoint gets the command of the visible tests (`--check`) or must find it. */
  readonly passCheck: boolean;
  readonly resume: string | null;
  readonly report: string | null;
  /** Where copies of the projects are kept for inspection. Null: they are removed. */
  readonly keep: string | null;
  /** Where model answers are cached. Null: every request goes to the model. */
  readonly replies: string | null;
}

export const starterModel = 'llama-cpp/qwen2.5-coder-1.5b-instruct';
export const allKinds: readonly Kind[] = ['small', 'two-file', 'planted', 'question'];

const flags = ['no-mechanical', 'no-agreement', 'no-coverage', 'no-check', 'paired'] as const;
const texts = [
  'models',
  'strategies',
  'split',
  'kinds',
  'only',
  'limit',
  'seed',
  'drive',
  'without',
  'image',
  'max-minutes',
  'total-minutes',
  'resume',
  'report',
  'keep',
  'replies',
] as const;

type Flag = (typeof flags)[number];
type Text = (typeof texts)[number];

const tasksUsage = `npm run bench -- tasks [--models ID,…] [--strategies recipe,loop] [--split dev|held|all] [--kinds ${allKinds.join(',')}]
  [--only GLOB] [--limit N] [--seed N] [--max-minutes N a task] [--total-minutes N] [--resume FILE] [--report FILE.md] [--keep FOLDER]
  [--replies FOLDER] [--drive NAME=VALUE,… as dewpoint models set] [--no-check] [--no-mechanical] [--no-coverage] [--no-agreement]
  [--without names,diagnostics] [--paired] [--image NAME]`;

/** Throws a `UsageError` for everything it does not understand, so that a typo does not cost an hour. */
export function parseTaskOptions(args: readonly string[]): TaskOptions {
  const { has, text } = read(args);
  const seed = wholeNumber('seed', text('seed')) ?? 1;
  const without = words('without', text('without'), ['names', 'diagnostics']) ?? [];
  if (has('paired') && without.length === 0) throw new UsageError('--paired compares with what --without names.');
  return {
    models: list(text('models')) ?? [starterModel],
    strategies: words('strategies', text('strategies'), ['recipe', 'loop']) ?? ['recipe'],
    split: word('split', text('split'), ['dev', 'held', 'all']) ?? 'dev',
    kinds: words('kinds', text('kinds'), allKinds) ?? allKinds,
    only: text('only') ?? null,
    limit: wholeNumber('limit', text('limit')) ?? null,
    seed,
    maxMinutes: positive('max-minutes', text('max-minutes')) ?? 5,
    totalMinutes: positive('total-minutes', text('total-minutes')) ?? null,
    passCheck: !has('no-check'),
    resume: text('resume') ?? null,
    report: text('report') ?? null,
    keep: text('keep') ?? null,
    replies: text('replies') ?? null,
    drive: driving(text('drive')),
    without,
    isPaired: has('paired'),
    image: text('image') ?? null,
    recipe: { ...switchesOf(has), seed },
  };
}

/** Only the switched settings. The defaults are in the recipes. */
function switchesOf(has: Given['has']): Partial<RecipeSettings> {
  return {
    ...(has('no-mechanical') ? { mechanicalChanges: false } : {}),
    ...(has('no-agreement') ? { agreement: false } : {}),
    ...(has('no-coverage') ? { locate: { coverage: false } } : {}),
  };
}

/** Whether the run has the users' defaults and covers all chosen tasks. Only then do targets apply. */
export function isPlainRun(options: TaskOptions): boolean {
  return describeSwitches(options) === '' && options.only === null && options.limit === null;
}

/**
 * The switches that differ from the users' defaults, for people to read: "no-mechanical, no-coverage". Empty for none.
 */
export function describeSwitches({
  recipe,
  passCheck,
  drive,
  replies,
  without,
  image,
}: Pick<TaskOptions, 'recipe' | 'passCheck' | 'drive' | 'replies' | 'without' | 'image'>): string {
  const { agreement, locate } = recipe;
  const parts = [
    recipe.mechanicalChanges === false ? 'no-mechanical' : '',
    locate?.coverage === false ? 'no-coverage' : '',
    agreement === false ? 'no-agreement' : '',
    passCheck ? '' : 'no-check',
    replies === null ? '' : 'kept answers',
    image === null ? '' : `image ${image}`,
    ...without.map((part) => `without ${part}`),
    ...Object.entries(drive).map(([name, value]) => `${name} ${value}`),
  ];
  return parts.filter((part) => part !== '').join(', ');
}

/** The tasks that the options name, in their order. Pairs are drawn, so that those done by an early end are a fair sample. */
export function selectTasks<Some extends Pick<Task, 'id' | 'kind' | 'split'>>(
  tasks: readonly Some[],
  { split, kinds, only, limit, isPaired }: Pick<TaskOptions, 'split' | 'kinds' | 'only' | 'limit' | 'isPaired'>,
): readonly Some[] {
  const matches = globMatcher(only ?? '*');
  const chosen = tasks.filter(
    (task) => (split === 'all' || task.split === split) && kinds.includes(task.kind) && matches(task.id),
  );
  const ordered = isPaired ? chosen.toSorted((a, b) => (drawOrder(a.id) < drawOrder(b.id) ? -1 : 1)) : chosen;
  return limit === null ? ordered : ordered.slice(0, limit);
}

/** Supports `*` for any text, `?` for one character, `{a,b}` for either. */
function globMatcher(glob: string): (text: string) => boolean {
  const source = glob
    .replaceAll(/[\\^$.|+()[\]]/g, '\\$&')
    .replaceAll('*', '.*')
    .replaceAll('?', '.');
  const alternatives = source.replaceAll(/\{([^}]*)\}/g, (_, inner: string) => `(?:${inner.split(',').join('|')})`);
  const pattern = new RegExp(`^${alternatives}$`);
  return (text) => pattern.test(text);
}

interface Given {
  readonly has: (flag: Flag) => boolean;
  readonly text: (name: Text) => string | undefined;
}

function read(args: readonly string[]): Given {
  const options = {
    ...Object.fromEntries(flags.map((name) => [name, { type: 'boolean' as const }])),
    ...Object.fromEntries(texts.map((name) => [name, { type: 'string' as const }])),
  };
  try {
    const { values } = parseArgs({ args: [...args], options, strict: true, allowPositionals: false });
    const given = new Map(Object.entries(values));
    return {
      has: (flag) => given.get(flag) === true,
      text: (name) => {
        const value = given.get(name);
        return typeof value === 'string' ? value : undefined;
      },
    };
  } catch (error) {
    throw new UsageError(`${error instanceof Error ? error.message : String(error)}\n${tasksUsage}`);
  }
}

/** The values are checked by the settings that receive them. */
function driving(text: string | undefined): TaskOptions['drive'] {
  const pairs = (list(text) ?? []).map((part): readonly [string, string | number] => {
    const [name = '', value = ''] = part.split(/=(.*)/su);
    if (name === '' || value === '') throw new UsageError(`--drive takes NAME=VALUE,…, not "${part}".`);
    return [name, Number.isNaN(Number(value)) ? value : Number(value)];
  });
  return Object.fromEntries(pairs);
}

function list(text: string | undefined): readonly string[] | undefined {
  const parts = text
    ?.split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '');
  return parts?.length === 0 ? undefined : parts;
}

function word<Word extends string>(name: Text, text: string | undefined, known: readonly Word[]): Word | undefined {
  if (text === undefined) return undefined;
  const found = known.find((candidate) => candidate === text);
  if (found === undefined) throw new UsageError(`--${name} takes ${known.join(', ')}, not "${text}".`);
  return found;
}

function words<Word extends string>(
  name: Text,
  text: string | undefined,
  known: readonly Word[],
): readonly Word[] | undefined {
  const parts = list(text);
  return parts === undefined ? undefined : [...new Set(parts.flatMap((part) => word(name, part, known) ?? []))];
}

function positive(name: Text, text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const value = Number(text);
  if (text.trim() === '' || !Number.isFinite(value) || value <= 0)
    throw new UsageError(`--${name} takes a number above 0, not "${text}".`);
  return value;
}

function wholeNumber(name: Text, text: string | undefined): number | undefined {
  const value = positive(name, text);
  if (value !== undefined && !Number.isInteger(value)) throw new UsageError(`--${name} takes a whole number.`);
  return value;
}
