import type { CalibrationTask } from '@shared/calibration/calibration.ts';
import type { KnownAnswer } from '@shared/calibration/known-answer.ts';
import { isRightAnswer } from './right-answer.ts';
import { valueOf } from '@shared/errors.ts';
import type { RankedSymbol } from '../../symbols/process/symbol-protocol.ts';
import type { ProjectSymbols } from '../../symbols/project-symbols.ts';
import { tagLanguageOf } from '../../symbols/tags/tag-languages.ts';
import type { TrialPlace } from './trial-place.ts';

export interface QuestionSource {
  readonly place: TrialPlace;
  readonly symbols: ProjectSymbols;
  /** In a drawn order. */
  readonly definitions: readonly RankedSymbol[];
  readonly isTest: (path: string) => boolean;
}

type Question = Omit<CalibrationTask, 'id'>;

const leastName = 4;
const mostOthers = 300;
const asked = /^(?:function|method|class|interface|type|struct)$/u;

/**
 * A question about the code with a known answer, from one of its definitions. Null: it has none that is certain. A name
 * that is defined twice is not asked for, and a plain search has to find what the index says.
 */
export async function questionAbout(
  { place, symbols, definitions, isTest }: QuestionSource,
  at: number,
  signal: AbortSignal,
): Promise<Question | null> {
  const symbol = definitions[at];
  if (symbol === undefined || symbol.name.length < leastName || !asked.test(symbol.what) || isTest(symbol.path))
    return null;
  const found = valueOf(await symbols.find([symbol.name], signal));
  if (found.hasMoreReferences || found.definitions.length !== 1) return null;
  const users = found.references.filter(({ path }) => !isTest(path));
  const names = [...new Set(users.flatMap(({ inside }) => (inside === null ? [] : [inside])))];
  const isOfUse = users.every(({ inside }) => inside !== null) && names.length > 0 && names.length <= 4;
  const question =
    at % 2 === 1 && isOfUse && !names.includes(symbol.name)
      ? aboutUsers(symbol, names, definitions)
      : aboutPlace(symbol, place.facts.sourceFiles);
  if (!(await isSeenBySearch(place, { symbol, users }, signal))) return null;
  return isCertain(question.answer) ? { ...question, ...common(symbol, names.length) } : null;
}

function aboutPlace(symbol: RankedSymbol, sources: readonly string[]): Pick<Question, 'title' | 'request' | 'answer'> {
  const others = sources.filter((path) => path !== symbol.path).slice(0, mostOthers);
  return {
    title: `where ${symbol.name} is defined`,
    request: `In which file is the ${symbol.what} \`${symbol.name}\` defined? Name the file with its path.`,
    answer: { type: 'file', path: symbol.path, others },
  };
}

function aboutUsers(
  symbol: RankedSymbol,
  names: readonly string[],
  definitions: readonly RankedSymbol[],
): Pick<Question, 'title' | 'request' | 'answer'> {
  const others = [...new Set(definitions.map(({ name }) => name))]
    .filter((name) => name !== symbol.name && !names.includes(name) && name.length >= leastName)
    .slice(0, mostOthers);
  return {
    title: `what uses ${symbol.name}`,
    request: `Which functions, methods or classes of this project use \`${symbol.name}\` (in ${symbol.path})? Leave out the tests. Answer with their names alone.`,
    answer: { type: 'names', names: [...names], others },
  };
}

function common(symbol: RankedSymbol, users: number) {
  return {
    kind: 'question',
    size: users <= 1 ? 'small' : users <= 3 ? 'medium' : 'large',
    language: tagLanguageOf(symbol.path) ?? 'other',
    check: null,
    commit: null,
    files: [],
    solution: [],
    tests: [],
    verified: { failedBefore: 2, passedAfter: 2 },
  } satisfies Partial<Question>;
}

/** The judge says no to nothing and to another answer, and yes to the right one, in a sentence, too. */
function isCertain(known: KnownAnswer | null): boolean {
  if (known === null || known.type === 'without') return false;
  const right = known.type === 'file' ? known.path : known.names.join(', ');
  const wrong = known.others.slice(0, 2).join(', ');
  const yes = [right, `I looked at it: ${right}.`].every((text) => isRightAnswer(text, known));
  return yes && !['', wrong].some((text) => isRightAnswer(text, known));
}

/** A plain search for the name finds the same places, so that a slip of the parser makes no question. */
async function isSeenBySearch(
  { sandbox }: TrialPlace,
  {
    symbol,
    users,
  }: { readonly symbol: RankedSymbol; readonly users: readonly { readonly path: string; readonly line: number }[] },
  signal: AbortSignal,
): Promise<boolean> {
  const found = valueOf(await sandbox.files.search({ pattern: symbol.name, literal: true, limit: 500 }, signal));
  if (found.truncated) return false;
  const has = (path: string, from: number, to: number): boolean =>
    found.matches.some((match) => match.path === path && match.line >= from && match.line <= to);
  return has(symbol.path, symbol.line, symbol.endLine) && users.every(({ path, line }) => has(path, line, line));
}
