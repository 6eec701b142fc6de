import { functionWords } from '../../lib/function-words.ts';
import type { DefinitionTag } from '../tags/tag.ts';
import { pageRank, type NameGraph, type NameUses } from './page-rank.ts';
import { namesIn, partsOfName, stemOf } from './split-words.ts';
import type { SymbolFile } from './symbol-file.ts';

/** What the order of definitions depends on besides the files. */
export interface RankAsk {
  /** The words of the task. Empty: none. */
  readonly words: string;
  /** Paths of files that were read, named or changed. */
  readonly touched: readonly string[];
}

export interface RankedDefinition {
  readonly path: string;
  readonly definition: DefinitionTag;
  /** More is better. Only the order between results of one call means something. */
  readonly score: number;
}

/** The weights of a use, after those of aider's repository map. */
const weights = { mentioned: 10, long: 3, hidden: 0.1, common: 0.1, touched: 50, own: 0.1 };
/** A name defined in more files than this says little about any of them. */
const commonFiles = 5;
const longName = 8;
/** A function of a test rarely is what a task is about. */
const testWeight = 0.1;
/** What being used counts, and what the file's rank counts, against 1 for fitting the words. */
const shares = { used: 0.3, file: 0.3 };

const plainWords = new Set(functionWords);

const testPath =
  /(?:^|\/)(?:tests?|__tests__|specs?|testdata|fixtures)\/|(?:^|\/)test_[^/]*$|[._-](?:test|spec)s?\.[a-z]+$/iu;

/** Files in their order, but what tests have comes last. */
export function testsLast<File extends Pick<SymbolFile, 'path'>>(files: readonly File[]): readonly File[] {
  const [own, tests] = [
    files.filter(({ path }) => !testPath.test(path)),
    files.filter(({ path }) => testPath.test(path)),
  ];
  return [...own, ...tests];
}

/**
 * Orders the definitions of a project, best first: those that the files near the task use, and those whose names the
 * task's words fit. Files refer to each other by names, so a name that many define counts less.
 */
export function rankDefinitions(files: readonly SymbolFile[], ask: RankAsk): readonly RankedDefinition[] {
  const named = namesIn(ask.words);
  const lexical = lexicalScores(files, ask.words, named);
  const numbers = numberNames(files);
  const touched = new Set(ask.touched);
  const start = files.map(({ path }, at) => {
    const own = touched.has(path) ? 1 : 0;
    const inWords = isNamed(path, ask.words, named) ? 1 : 0;
    return 0.1 / files.length + own + inWords + largest(lexical[at] ?? []);
  });
  const ranks = pageRank(graphOf(files, numbers, { named, touched }), start);
  const used = files.map((file, at) => usedShares(file, ranks.files[at] ?? 0, { numbers, names: ranks.names }));
  const mostUsed = largest(used.map(largest)) || 1;
  const mostRank = largest(ranks.files) || 1;
  const wantsTests = /\btests?\b/iu.test(ask.words);
  const found = files.flatMap(({ path, definitions }, at) => {
    const factor = testPath.test(path) && !wantsTests ? testWeight : 1;
    const rank = (ranks.files[at] ?? 0) / mostRank;
    return definitions.map((definition, index) => {
      const share = (used[at]?.[index] ?? 0) / mostUsed;
      const fits = (lexical[at]?.[index] ?? 0) * (1 - shares.file + shares.file * rank);
      return { path, definition, score: factor * (shares.used * share + fits) };
    });
  });
  return found.sort(byScore);
}

/** How much each definition of a file is used: by other files, and by the file itself. */
function usedShares(
  { definitions, uses }: SymbolFile,
  rank: number,
  { numbers, names }: { readonly numbers: NumberedNames; readonly names: Float64Array },
): readonly number[] {
  const all = [...uses.values()].reduce((sum, count) => sum + Math.sqrt(count), 0) || 1;
  return definitions.map(({ name }) => {
    const own = (weights.own * rank * Math.sqrt(uses.get(name) ?? 0)) / all;
    return own + (names[numbers.of.get(name) ?? -1] ?? 0);
  });
}

/** `Math.max` takes its numbers as arguments, of which there may be too many. */
function largest(numbers: Iterable<number>): number {
  let most = 0;
  for (const number of numbers) if (number > most) most = number;
  return most;
}

function byScore(left: RankedDefinition, right: RankedDefinition): number {
  if (left.score !== right.score) return right.score - left.score;
  if (left.path !== right.path) return left.path < right.path ? -1 : 1;
  return left.definition.line - right.definition.line;
}

interface NumberedNames {
  readonly of: ReadonlyMap<string, number>;
  readonly definers: readonly (readonly number[])[];
}

/** The names that are defined, and the files that define each. */
function numberNames(files: readonly SymbolFile[]): NumberedNames {
  const of = new Map<string, number>();
  const definers: number[][] = [];
  for (const [at, { definitions }] of files.entries()) {
    for (const { name } of definitions) {
      const number = of.get(name) ?? definers.push([]) - 1;
      of.set(name, number);
      const places = definers[number];
      if (places !== undefined && places.at(-1) !== at) places.push(at);
    }
  }
  return { of, definers };
}

interface Near {
  readonly named: ReadonlySet<string>;
  readonly touched: ReadonlySet<string>;
}

function graphOf(files: readonly SymbolFile[], { of, definers }: NumberedNames, { named, touched }: Near): NameGraph {
  const factors = [...of].map(([name, number]) => weightOf(name, definers[number]?.length ?? 0, named));
  const uses: Record<keyof NameUses, number[]> = { files: [], names: [], weights: [] };
  for (const [file, { path, uses: counts, definitions }] of files.entries()) {
    const near = touched.has(path) ? weights.touched : 1;
    const own = new Set(definitions.map(({ name }) => name));
    for (const [name, count] of counts) {
      const number = of.get(name);
      // A file that uses its own would keep all of its rank.
      if (number === undefined || own.has(name)) continue;
      uses.files.push(file);
      uses.names.push(number);
      uses.weights.push(near * (factors[number] ?? 1) * Math.sqrt(count));
    }
  }
  return { files: files.length, uses, definers };
}

function weightOf(name: string, files: number, named: ReadonlySet<string>): number {
  let weight = 1;
  if (named.has(name)) weight *= weights.mentioned;
  if (name.length >= longName && /[_-]|[\p{Ll}\p{N}]\p{Lu}/u.test(name)) weight *= weights.long;
  if (name.startsWith('_')) weight *= weights.hidden;
  if (files > commonFiles) weight *= weights.common;
  return weight;
}

/** Whether the task names a file, by its path, its name, or its name without the ending. */
function isNamed(path: string, words: string, named: ReadonlySet<string>): boolean {
  const name = path.slice(path.lastIndexOf('/') + 1);
  const stem = name.replace(/\.[^.]+$/u, '');
  return words.includes(name) || (stem.length > 3 && named.has(stem));
}

/**
 * How well the words of the task fit each definition, from 0 to 1: its name, what it belongs to, its signature and its
 * path. A word that few definitions have counts more.
 */
function lexicalScores(
  files: readonly SymbolFile[],
  words: string,
  named: ReadonlySet<string>,
): readonly (readonly number[])[] {
  const asked = new Set(
    [...namesIn(words)]
      .flatMap(partsOfName)
      // They are rare in names, and would count more than what the task is about.
      .filter((part) => part.length > 2 && !plainWords.has(part))
      .map(stemOf),
  );
  if (asked.size === 0) return files.map(({ definitions }) => definitions.map(() => 0));
  const hits = files.map(({ path, definitions }) => {
    const inPath = partsIn(path, asked);
    return definitions.map(({ name, container, signature }): ReadonlyMap<string, number> => {
      if (inPath.length === 0 && !isIn(asked, `${signature}\n${container ?? ''}\n${name}`)) return noParts;
      const found = new Map<string, number>();
      for (const part of inPath) found.set(part, 0.5);
      for (const part of partsIn(signature, asked)) found.set(part, 0.5);
      for (const part of partsIn(container ?? '', asked)) found.set(part, 0.7);
      for (const part of partsIn(name, asked)) found.set(part, 1);
      return found;
    });
  });
  const counts = new Map<string, number>();
  let all = 0;
  for (const found of hits.flat()) {
    all += 1;
    for (const part of found.keys()) counts.set(part, (counts.get(part) ?? 0) + 1);
  }
  const rarity = (part: string): number => Math.log(1 + all / (counts.get(part) ?? all));
  const raw = hits.map((definitions, at) =>
    definitions.map((found, index) => {
      const sum = [...found].reduce((total, [part, weight]) => total + weight * rarity(part), 0);
      const isWhole = named.has(files[at]?.definitions[index]?.name ?? '');
      return isWhole ? 3 * sum : sum;
    }),
  );
  const best = raw.reduce((most, scores) => scores.reduce((one, score) => Math.max(one, score), most), 0);
  return best === 0 ? raw : raw.map((scores) => scores.map((score) => score / best));
}

const noParts: ReadonlyMap<string, number> = new Map();

/** Whether a text may have one of the parts: few do, and to split all of them would take most of the time. */
function isIn(parts: ReadonlySet<string>, text: string): boolean {
  const plain = text.toLowerCase();
  for (const part of parts) if (plain.includes(part)) return true;
  return false;
}

function partsIn(text: string, asked: ReadonlySet<string>): readonly string[] {
  if (!isIn(asked, text)) return [];
  return partsOfName(text)
    .map(stemOf)
    .filter((part) => asked.has(part));
}
