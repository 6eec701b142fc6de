import type { Syntax } from '../../code/code-syntax.ts';
import type { RecipeContext } from '../../define.ts';
import { codeKeyOf, type Candidate } from '../../trial/candidate-change.ts';
import type { Judge } from '../judge/judge-candidate.ts';
import type { FailureContext } from '../search/failure-context.ts';
import { readResults, variedTests, type ResultsByPlace } from './varied-tests.ts';

/** What accepted candidates do with values other than those of the tests. */
export interface Behaviours {
  /**
   * Candidates with the same key behave the same as far as was observed; without an observation, they have the same
   * code.
   */
  keyOf(candidate: Candidate): string;
  /**
   * The share of places (0 to 1) where it ends in an error, while neither the original code nor at least two thirds of
   * the changes do. With only two changes, one may rightly reject what the other accepts.
   */
  failuresOf(candidate: Candidate): number;
}

export interface BehaviourParts {
  readonly context: RecipeContext;
  readonly syntax: Syntax;
  readonly judge: Judge;
  readonly secondsLeft: () => number;
}

const mostObserved = 8;
const secondsNeeded = 20;

/**
 * Runs the failing tests with changed literals on each candidate. If a candidate cannot be run so, or there is nothing
 * to compare, their code is compared instead.
 */
export async function behavioursOf(
  { context, syntax, judge, secondsLeft }: BehaviourParts,
  failureContext: FailureContext,
  candidates: readonly Candidate[],
): Promise<Behaviours> {
  const different = [...new Map(candidates.map((one) => [codeKey(one), one])).values()].slice(0, mostObserved);
  const unseen: Behaviours = { keyOf: codeKey, failuresOf: () => 0 };
  if (different.length < 2 || !context.settings.judge.varied || secondsLeft() < secondsNeeded) return unseen;
  const tests = [];
  for (const { path } of failureContext.tests) tests.push({ path, text: (await judge.read(path)) ?? '' });
  const varied = variedTests(syntax, tests);
  if (varied === null) return unseen;
  const variants = [varied.files, ...different.map(({ files }) => [...files, ...varied.files])];
  const [old = new Map(), ...seen] = (await judge.observe(variants, varied.command)).map((one) =>
    readResults(one ?? ''),
  );
  // A candidate that was not reached, or never came to a test, is compared by its code only.
  const told = seen.filter((one) => one.size > 0);
  const places = [...(told[0]?.keys() ?? [])].filter((place) => told.every((one) => one.has(place)));
  if (told.length < 2 || places.length === 0) return unseen;
  await context.progress('vary', `Compared ${told.length} passing changes on ${places.length} altered tests.`);
  const keys = different.map(codeKey);
  const sightOf = (candidate: Candidate): ResultsByPlace => seen[keys.indexOf(codeKey(candidate))] ?? new Map();
  return {
    keyOf: (candidate) => {
      const own = sightOf(candidate);
      return own.size === 0 ? codeKey(candidate) : places.map((place) => own.get(place)).join(' ');
    },
    failuresOf: (candidate) => {
      const own = sightOf(candidate);
      const isAlone = (place: string) =>
        isError(own.get(place)) &&
        !isError(old.get(place)) &&
        told.filter((one) => isError(one.get(place))).length * 3 <= told.length;
      return places.filter(isAlone).length / places.length;
    },
  };
}

const isError = (digest: string | undefined): boolean => digest?.startsWith('!') ?? false;

/** The code without white space and comments. */
export function codeKey(candidate: Candidate): string {
  return candidate.files.map((file) => `${file.path}\0${codeKeyOf(file.text)}`).join('\0\0');
}
