import { seeded } from '../lib/seeded.ts';
import { readJsonLines, readRows } from './read-data.ts';
import { outOfFold, ratesByKind, type RoutedSet } from './routed-set.ts';
import { dotSparse, fitRidge } from './sparse-ridge.ts';
import { countsOf, hashText, textWidth, weighText } from './text-features.ts';
import { answerFeatures } from './answer-features.ts';

const random = 'random at the same budget';

interface Listed {
  readonly eval_prompt: string;
}

/** Items that were in the training data of RouteLLM's routers are left out, as there. */
async function contaminated(folder: string, name: string): Promise<ReadonlySet<string>> {
  const lines = await readJsonLines(folder, `contaminated_${name}.jsonl`);
  return new Set(lines.map((line) => (line as Listed).eval_prompt));
}

export function randomFolds(size: number, count: number, seed: number): readonly number[] {
  const draw = seeded(seed);
  return Array.from({ length: size }, () => Math.floor(draw() * count));
}

function drawn(size: number): readonly number[] {
  const draw = seeded(99);
  return Array.from({ length: size }, () => draw());
}

/** MMLU with Mixtral 8x7B and gpt-4-1106. */
export async function readMmlu(data: string): Promise<RoutedSet> {
  const folder = `${data}/RouteLLM`;
  const left = await contaminated(folder, 'mmlu');
  const rows = (await readRows(folder, 'mmlu_responses_all57.csv.gz')).filter(([, prompt = '']) => !left.has(prompt));
  const texts = rows.map(([, prompt = '']) => prompt.replace(/\nAnswer:\s*$/, ''));
  const outcomes = rows.map(([, , weak, strong]) => ({
    weak: Number(weak === 'True'),
    strong: Number(strong === 'True'),
  }));
  const folds = randomFolds(rows.length, 5, 5);
  const features = texts.map(countsOf);
  const found = outOfFold({ texts, outcomes, features, folds, penalty: 8, rounds: 120, leaf: 40, wordWeight: 1 });
  const kinds = rows.map(([domain = '']) => domain);
  const controls = {
    [random]: drawn(rows.length),
    length: texts.map((text) => text.length),
    'rates by subject': byKindQuickly(outcomes, kinds, folds),
  };
  return { name: 'MMLU', outcomes, ...found, controls };
}

/** As `ratesByKind`, for many items. */
function byKindQuickly(
  outcomes: RoutedSet['outcomes'],
  kinds: readonly string[],
  folds: readonly number[],
): readonly number[] {
  const sums = new Map<string, { gain: number; count: number }>();
  for (const [item, { weak, strong }] of outcomes.entries()) {
    for (const key of [kinds[item] ?? '', `${kinds[item] ?? ''} ${folds[item] ?? 0}`]) {
      const sum = sums.get(key) ?? { gain: 0, count: 0 };
      sums.set(key, { gain: sum.gain + strong - weak, count: sum.count + 1 });
    }
  }
  return kinds.map((kind, item) => {
    const [all, own] = [sums.get(kind), sums.get(`${kind} ${folds[item] ?? 0}`)];
    return ((all?.gain ?? 0) - (own?.gain ?? 0)) / ((all?.count ?? 0) - (own?.count ?? 0) + 5);
  });
}

/** GSM8K with the same models: by its text, and by the text with the weak model's answer. */
export async function readGsm8k(data: string): Promise<readonly [RoutedSet, RoutedSet]> {
  const folder = `${data}/RouteLLM`;
  const left = await contaminated(folder, 'gsm8k');
  const rows = (await readRows(folder, 'gsm8k_responses.csv.gz')).filter(([prompt = '']) => !left.has(prompt));
  const texts = rows.map(([prompt = '']) => prompt);
  const outcomes = rows.map(([, weak, strong]) => ({
    weak: Number(weak === 'True'),
    strong: Number(strong === 'True'),
  }));
  const folds = randomFolds(rows.length, 10, 11);
  const lengths = await solutionLengths(folder, texts);
  const counts = texts.map((text, item) => [...countsOf(text), lengths[item] ?? 0]);
  const usual = { texts, outcomes, folds, penalty: 3, rounds: 80, leaf: 25 };
  const answers = rows.map(([prompt = '', , , answer = '']) => answerFeatures(prompt, answer));
  const before = outOfFold({ ...usual, features: counts, wordWeight: 1 });
  const after = outOfFold({
    ...usual,
    features: counts.map((own, item) => [...own, ...(answers[item] ?? [])]),
    rounds: 100,
    wordWeight: 0.5,
  });
  const length = texts.map((text) => text.length);
  const controls = { [random]: drawn(rows.length), length };
  const answerLength = rows.map(([, , , answer = '']) => answer.length);
  return [
    { name: 'GSM8K', outcomes, ...before, controls },
    {
      name: 'GSM8K, the weak answer seen',
      outcomes,
      ...after,
      controls: { ...controls, 'length of the answer': answerLength },
    },
  ];
}

/** How long a worked solution of each question is likely to be, by other questions with solutions by people. */
async function solutionLengths(folder: string, texts: readonly string[]): Promise<readonly number[]> {
  const lines = await readJsonLines(folder, 'gsm8k_train.jsonl.gz');
  const solved = lines.map((line) => line as { readonly question: string; readonly answer: string });
  const steps = solved.map(({ answer }) => Math.log1p((answer.match(/<</g) ?? []).length));
  const mean = steps.reduce((sum, one) => sum + one, 0) / steps.length;
  const hashed = [...solved.map(({ question }) => question), ...texts].map(hashText);
  const rows = weighText(hashed, (item) => item < solved.length);
  const weights = fitRidge(
    rows.slice(0, solved.length),
    steps.map((one) => one - mean),
    { width: textWidth, penalty: 4, rounds: 15 },
  );
  return rows.slice(solved.length).map((row) => mean + dotSparse(row, weights));
}

interface Question {
  readonly question_id: number;
  readonly category: string;
  readonly turns: readonly string[];
}

interface Judgement {
  readonly question_id: number;
  readonly model: string;
  readonly score: number;
}

/** MT-Bench: 72 questions with marks, so each is judged by what was learned from the other 71. */
export async function readMtBench(data: string): Promise<RoutedSet> {
  const folder = `${data}/RouteLLM`;
  const left = await contaminated(folder, 'mt_bench');
  const questions = (await readJsonLines(folder, 'mt_bench_question.jsonl'))
    .map((line) => line as Question)
    .filter(({ turns }) => !turns.some((turn) => left.has(turn)));
  const marks = (await readJsonLines(folder, 'mt_bench_judgements.jsonl.gz')).map((line) => line as Judgement);
  const markOf = (id: number, isStrong: boolean): number => {
    const own = marks.filter((one) => one.question_id === id && one.model.startsWith('gpt-4') === isStrong);
    return own.reduce((sum, { score }) => sum + score, 0) / own.length;
  };
  const outcomes = questions.map(({ question_id: id }) => ({ weak: markOf(id, false), strong: markOf(id, true) }));
  const texts = questions.map(({ turns }) => turns[0] ?? '');
  const folds = texts.map((_, item) => item);
  const features = texts.map(kindOfWork);
  const found = outOfFold({ texts, outcomes, features, folds, penalty: 1, rounds: 40, leaf: 8, wordWeight: 2 });
  const controls = {
    [random]: drawn(texts.length),
    length: texts.map((text) => text.length),
    'rates by category': ratesByKind(
      outcomes,
      questions.map(({ category }) => category),
      folds,
    ),
  };
  return { name: 'MT-Bench', outcomes, ...found, chances: [], controls };
}

/** What kind of work a text asks for, as any text may: an exact result, code, facts out of a text, or prose. */
function kindOfWork(text: string): readonly number[] {
  const has = (pattern: RegExp): number => (pattern.test(text) ? 1 : 0);
  const isExact = has(
    /\b(?:how many|how much|calculate|solve|find|value|sum|total|probability|equation|percent|remainder)\b/i,
  );
  const isCode = has(/\b(?:function|program|code|algorithm|implement|script|python|html|sql)\b/i);
  const isList = has(/\b(?:json|csv|extract|identify|count|list)\b/i);
  const isProse = has(/\b(?:write|compose|draft|describe|imagine|essay|story|poem|blog|act as|you are|pretend)\b/i);
  return [
    2 * isExact + 2 * isCode + isList + has(/\d/) / 2 - isProse,
    isExact,
    isCode,
    isProse,
    Math.log1p(text.length),
  ];
}
