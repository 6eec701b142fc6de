import { shareInterval } from '@shared/comparisons/intervals.ts';
import type { Interval } from '@shared/money/counterfactual.ts';
import { foundInterval } from '@shared/money/found-interval.ts';
import { guessedNeed, type NeedGuess } from '@shared/money/usual-task.ts';
import type { Price } from '@shared/money/token-cost.ts';
import type { Expectation, ExpectedKind, ExpectedWay, SolvedShare, TaskOutcome } from '@shared/routing/outcomes.ts';
import { isSameVersion, languageIn } from './count-outcomes.ts';

/** Fewer tasks say nothing. */
const LEAST = 3;
/** So many tasks of the project are enough to leave out all others. */
const OWN = 8;
/** Older tasks took another machine, other models and other prices. */
const LONGEST_MS = 180 * 24 * 3600 * 1000;
const MOST = 60;

export interface ExpectedPlace {
  readonly project: string;
  readonly kind: ExpectedKind;
  readonly now: number;
  /** The models of the message. */
  readonly local: string;
  readonly cloud: string | null;
  readonly versionOf: (model: string) => string;
  /** The price of the cloud model. Null: unknown. */
  readonly price: Price | null;
  /** Where the message would go. */
  readonly policy: ExpectedWay['way'];
}

/** What each way of working is likely to bring for one more task of this kind, by the record of this machine alone. */
export function expectedWays(outcomes: readonly TaskOutcome[], place: ExpectedPlace): Expectation {
  const ways = (['local', 'hybrid', 'cloud'] as const)
    .filter((way) => way === 'local' || place.cloud !== null)
    .map((way) => expectedWay(outcomesOf(outcomes, way, place), way, place));
  return { kind: place.kind, ways, warning: warningOf(ways, place) };
}

/** Tasks of this way and kind: of the project, else of its language, else of the whole home. Oldest first. */
export function outcomesOf(
  outcomes: readonly TaskOutcome[],
  way: ExpectedWay['way'],
  { project, kind, now, local, cloud, versionOf }: Omit<ExpectedPlace, 'price' | 'policy'>,
): readonly TaskOutcome[] {
  const all = outcomes.filter(
    ({ first, policy, at, by, ...one }) =>
      (one.kind === 'question') === (kind === 'question') &&
      policy === way &&
      by !== 'count' &&
      now - at < LONGEST_MS &&
      first.model === (way === 'cloud' ? cloud : way === 'local' ? local : first.model) &&
      (way !== 'hybrid' || first.model === local || first.model === cloud) &&
      isSameVersion(first.version, versionOf(first.model)),
  );
  const own = all.filter((one) => one.project === project);
  const language = languageIn(outcomes, project);
  const alike = all.filter((one) => one.project === project || (language !== '' && one.language === language));
  const chosen = own.length >= OWN ? own : alike.length >= OWN ? alike : all;
  return chosen.slice(-MOST);
}

function expectedWay(tasks: readonly TaskOutcome[], way: ExpectedWay['way'], place: ExpectedPlace): ExpectedWay {
  const judged = tasks.filter(({ solved }) => solved !== null);
  const seconds = nextOf(tasks.flatMap((one) => (one.seconds === null ? [] : [one.seconds])));
  const known = nextOf(tasks.flatMap((one) => (one.usd === null ? [] : [one.usd])));
  const guess = known === null && way === 'cloud' ? guessOf(place) : null;
  const usd = way === 'local' ? nothing : (known ?? guess);
  return { way, solves: solvedShare(judged), seconds, usd, isGuess: guess !== null };
}

const nothing: Interval = { value: 0, low: 0, high: 0 };

function guessOf({ kind, price }: ExpectedPlace): Interval | null {
  if (price === null) return null;
  const { value, low, high }: NeedGuess = guessedNeed(kind === 'question' ? kind : 'change', price, []);
  return { value, low, high };
}

/** Null: too few were judged. */
export function solvedShare(judged: readonly Pick<TaskOutcome, 'solved'>[]): SolvedShare | null {
  if (judged.length < LEAST) return null;
  const solved = judged.filter((one) => one.solved === true).length;
  return { ...shareInterval(solved, judged.length), tasks: judged.length, solved };
}

/**
 * What one more is likely to be: the usual value, and how far tasks in the record lay from the usual value of the others
 * (split conformal, 90 %). Where some cost nothing, the largest of the record bounds it. Null: too few are known.
 */
export function nextOf(values: readonly number[]): Interval | null {
  if (values.length < LEAST) return null;
  const order = [...values].sort((left, right) => left - right);
  const most = order.at(-1) ?? 0;
  if (order[0] === 0) {
    const mean = values.reduce((sum, one) => sum + one, 0) / values.length;
    const rank = order[Math.ceil(Number(((order.length + 1) * 0.9).toFixed(9))) - 1];
    return { value: mean, low: 0, high: rank ?? most * 2 };
  }
  const sum = values.reduce((total, one) => total + Math.log(one), 0);
  const value = Math.exp(sum / values.length);
  const others = values.map((real) => ({ real, value: Math.exp((sum - Math.log(real)) / (values.length - 1)) }));
  const found = foundInterval(others);
  return found === null ? null : { value, low: value * found.low, high: value * found.high };
}

/** How much must be solved here before all in the cloud is worth a word. */
const MUCH = 0.5;

function warningOf(ways: readonly ExpectedWay[], { policy }: ExpectedPlace): string | null {
  const here = ways.find(({ way }) => way === 'local')?.solves ?? null;
  if (policy !== 'cloud' || here === null || here.value < MUCH) return null;
  return `Everything goes to the cloud, although this machine solves ${here.solved} of ${here.tasks} such tasks.`;
}
