import { seeded } from '../lib/seeded.ts';
import type { Outcome } from './apgr.ts';
import { byModel, type ByModel, readJsonLines, readRows, readText } from './read-data.ts';
import { outOfFold, ratesByKind, type RoutedSet } from './routed-set.ts';
import { randomFolds } from './text-sets.ts';
import { countsOf } from './text-features.ts';

interface Performance {
  readonly question_id: string;
  readonly model: string;
  readonly date: number;
  readonly difficulty: string;
  readonly 'pass@1': number;
}

interface Question {
  readonly question_id: string;
  readonly question_content: string;
}

const generation = [
  ['QwQ-32B-Preview (N=1)', 'O1-2024-12-17 (N=1) (High)'],
  ['Codestral-Latest', 'Claude-3.5-Sonnet-20241022'],
] as const;
const repair = [
  ['Qwen2.5-Ins-32B', 'O1-Mini-2024-09-12 (N=1)'],
  ['Qwen2.5-Ins-32B', 'Claude-3.5-Sonnet-20241022'],
] as const;
const prediction = [
  ['Qwen2.5-32B-Instruct', 'gpt-4o-2024-08-06'],
  ['Qwen2.5-32B-Instruct', 'o1-mini-2024-09-12'],
] as const;

/** LiveCodeBench: new programs, and repairs of them. Each of five spans of time is judged by the other four. */
export async function readLiveCode(data: string): Promise<readonly RoutedSet[]> {
  const folder = `${data}/LiveCodeBench`;
  const questions = await readJsonLines(folder, 'questions_880.jsonl.xz');
  const texts = new Map(questions.map((line) => [(line as Question).question_id, (line as Question).question_content]));
  const sets: RoutedSet[] = [];
  for (const [what, file, pairs] of [
    ['generate', 'performances_generation_20250115.json.xz', generation],
    ['repair', 'performances_repair.json.xz', repair],
  ] as const) {
    const { performances }: { performances: readonly Performance[] } = JSON.parse(await readText(folder, file));
    const models = byModel(performances.map((one) => [one.model, one.question_id, one['pass@1'] / 100]));
    const first = new Map(performances.map((one) => [one.question_id, one]));
    const ids = [...first.keys()]
      .filter((id) => texts.has(id))
      .sort((left, right) => (first.get(left)?.date ?? 0) - (first.get(right)?.date ?? 0));
    const folds = ids.map((_, at) => Math.floor((at * 5) / ids.length));
    for (const [weak, strong] of pairs) {
      const set = { ids, texts: ids.map((id) => texts.get(id) ?? ''), folds, models, weak, strong };
      const kinds = ids.map((id) => first.get(id)?.difficulty ?? '');
      sets.push(setOf(`LiveCodeBench ${what}, ${short(weak)} -> ${short(strong)}`, set, { kinds, seen: [] }));
    }
  }
  return sets;
}

/** CRUXEval: what a program prints. With the length of the weak model's answer, and without. */
export async function readCrux(data: string): Promise<readonly RoutedSet[]> {
  const folder = `${data}/ZeroEval-crux`;
  const rows = await readRows(folder, 'crux_output_prediction_passfail.csv.xz');
  const lines = await readJsonLines(folder, 'crux_questions_800.jsonl.xz');
  const questions = lines.map((line) => line as { readonly id: number; readonly question: string });
  const models = byModel(rows.map(([item = '', model = '', correct]) => [model, item, Number(correct)]));
  const lengths = byModel(rows.map(([item = '', model = '', , , length]) => [model, item, Number(length)]));
  const ids = questions.map(({ id }) => String(id));
  // Only the program: the instructions around it are the benchmark's own words.
  const texts = questions.map(({ question }) => /\[PYTHON\]([\s\S]*?)\[\/PYTHON\]/.exec(question)?.[1] ?? question);
  const folds = randomFolds(ids.length, 5, 3);
  return prediction.flatMap(([weak, strong]) => {
    const set = { ids, texts, folds, models, weak, strong };
    const seen = ids.map((id) => Math.log1p(lengths.get(weak)?.get(id) ?? 0));
    const name = `CRUX, ${short(weak)} -> ${short(strong)}`;
    return [
      setOf(name, set, { kinds: [], seen: [] }),
      setOf(`${name}, the answer's length seen`, set, { kinds: [], seen }),
    ];
  });
}

function short(model: string): string {
  return model.replace(/-20\d\d.*$|-Ins.*$|-Preview.*$|-Latest$/, '');
}

interface Given {
  readonly ids: readonly string[];
  readonly texts: readonly string[];
  readonly folds: readonly number[];
  readonly models: ByModel;
  readonly weak: string;
  readonly strong: string;
}

function setOf(
  name: string,
  { ids, texts, folds, models, weak, strong }: Given,
  { kinds, seen }: { readonly kinds: readonly string[]; readonly seen: readonly number[] },
): RoutedSet {
  const of = (model: string, id: string): number => models.get(model)?.get(id) ?? 0;
  const outcomes: Outcome[] = ids.map((id) => ({ weak: of(weak, id), strong: of(strong, id) }));
  const features = texts.map((text, item) => [
    ...countsOf(text),
    ...programCounts(text),
    ...seen.slice(item, item + 1),
  ]);
  const smoothGains = smoothed(ids, { models, weak, strong });
  const usual = { penalty: 3, rounds: 60, leaf: 20, wordWeight: 1 };
  const found = outOfFold({ texts, outcomes, features, folds, smoothGains, ...usual });
  const draw = seeded(99);
  const controls: Record<string, readonly number[]> = {
    'random at the same budget': ids.map(() => draw()),
    length: texts.map((text) => text.length),
  };
  if (kinds.length > 0) controls['rates by difficulty label'] = ratesByKind(outcomes, kinds, folds);
  if (seen.length > 0) controls['length of the answer'] = seen;
  return { name, outcomes, ...found, controls };
}

/** Models that are about as able as another one say how hard an item is for its like. */
const NEAR = 0.08;

/** Half the pair's own gain, and half that of models like these two, so that less of it is chance. */
function smoothed(
  ids: readonly string[],
  { models, weak, strong }: Pick<Given, 'models' | 'weak' | 'strong'>,
): readonly number[] {
  const rate = (model: string): number =>
    ids.reduce((sum, id) => sum + (models.get(model)?.get(id) ?? 0), 0) / ids.length;
  const like = (model: string): readonly number[] => {
    const own = rate(model);
    const others = [...models.keys()].map((other) => [other, Math.exp(-(((rate(other) - own) / NEAR) ** 2))] as const);
    const all = others.reduce((sum, [, weight]) => sum + weight, 0);
    return ids.map(
      (id) => others.reduce((sum, [other, weight]) => sum + weight * (models.get(other)?.get(id) ?? 0), 0) / all,
    );
  };
  const [weaker, stronger] = [like(weak), like(strong)];
  return ids.map((id, at) => {
    const own = (models.get(strong)?.get(id) ?? 0) - (models.get(weak)?.get(id) ?? 0);
    return (own + (stronger[at] ?? 0) - (weaker[at] ?? 0)) / 2;
  });
}

/** What a program or its description is made of. */
function programCounts(text: string): readonly number[] {
  const count = (pattern: RegExp): number => (text.match(pattern) ?? []).length;
  return [
    count(/\b(?:for|while)\b/g),
    count(/\bif\b/g),
    count(/\.\w+\(/g),
    count(/\[\w*:\w*\]/g),
    count(/'/g),
    count(/\b(?:tree|graph|path|permutation|subsequence|substring|modulo|minimum|maximum)\b/gi),
    Math.max(0, ...[...text.matchAll(/10\^\{?(\d)/g)].map(([, power]) => Number(power))),
  ];
}
