import type { Priors, Tally } from '@shared/routing/priors.ts';
import type { TaskOutcome } from '@shared/routing/outcomes.ts';

const HALF_LIFE_MS = 30 * 24 * 3600 * 1000;

/** So many tasks of elsewhere stand in where a project has few of its own; those in its language first. */
const LENT = 6;

/** Where work is about to begin. */
export interface CountPlace {
  /** The key of the project. Null: the whole home counts alike. */
  readonly project: string | null;
  /** The version of a model as it is now. Empty: unknown. Counts of another version are of another model. */
  readonly versionOf: (model: string) => string;
}

/**
 * How well each model did each kind of step, for work in a place: its own project, filled up by projects in its
 * language, then by all others. A count halves in a month in which newer ones come.
 */
export function priorsOf(outcomes: readonly TaskOutcome[], { project, versionOf }: CountPlace): Priors {
  const language = project === null ? '' : languageIn(outcomes, project);
  const sums = new Map<string, Group>();
  const last = lastCounts(outcomes);
  for (const { solved, at, work, weight = 1, ...outcome } of outcomes) {
    if (solved === null) continue;
    const place =
      project === null || outcome.project === project ? 'own' : isAlike(outcome, language) ? 'alike' : 'other';
    for (const one of work) {
      if (!isSameVersion(one.version, versionOf(one.model))) continue;
      const key = `${one.model}\n${one.purpose}`;
      const group = sums.get(key) ?? {
        model: one.model,
        purpose: one.purpose,
        at: 0,
        own: none,
        alike: none,
        other: none,
      };
      const factor = weight * fading((last.get(key) ?? at) - at);
      const counted = { ...group, [place]: added(group[place], one, factor), at: Math.max(group.at, at) };
      sums.set(key, counted);
    }
  }
  const priors: Record<string, Record<string, Tally>> = {};
  for (const group of sums.values()) {
    (priors[group.model] ??= {})[group.purpose] = tallyOf(group);
  }
  return priors;
}

/** A count fades as newer ones come: what was not used for a while is not known less for that. */
function lastCounts(outcomes: readonly TaskOutcome[]): ReadonlyMap<string, number> {
  const last = new Map<string, number>();
  for (const { at, solved, work } of outcomes)
    for (const { model, purpose } of solved === null ? [] : work) {
      const key = `${model}\n${purpose}`;
      last.set(key, Math.max(last.get(key) ?? 0, at));
    }
  return last;
}

/** Nothing is known of a version that is empty, so it counts for every one. */
export function isSameVersion(version: string, now: string): boolean {
  return version === '' || now === '' || version === now;
}

function isAlike({ language }: Pick<TaskOutcome, 'language'>, other: string): boolean {
  return other !== '' && language === other;
}

/** The language of most tasks of a project. Empty: it has none. */
export function languageIn(outcomes: readonly TaskOutcome[], project: string): string {
  const counts = new Map<string, number>();
  for (const one of outcomes)
    if (one.project === project && one.language !== '') counts.set(one.language, (counts.get(one.language) ?? 0) + 1);
  return [...counts].reduce((best, one) => (one[1] > best[1] ? one : best), ['', 0] as const)[0];
}

interface Sum {
  readonly tries: number;
  readonly solved: number;
  readonly calls: number;
  /** Null: of one of them it is not known. */
  readonly written: number | null;
}

interface Group {
  readonly model: string;
  readonly purpose: string;
  readonly at: number;
  readonly own: Sum;
  readonly alike: Sum;
  readonly other: Sum;
}

const none: Sum = { tries: 0, solved: 0, calls: 0, written: 0 };

function added(sum: Sum, { solved, calls, written }: TaskOutcome['work'][number], factor: number): Sum {
  return {
    tries: sum.tries + factor,
    solved: sum.solved + (solved ? factor : 0),
    calls: sum.calls + calls * factor,
    written: sum.written === null || written === null ? null : sum.written + written * factor,
  };
}

function tallyOf({ own, alike, other, at }: Group): Tally {
  const lentAlike = own.tries === 0 ? 1 : Math.min(1, LENT / Math.max(LENT, alike.tries));
  const room = Math.max(0, LENT - alike.tries);
  const lentOther = own.tries === 0 && alike.tries === 0 ? 1 : Math.min(1, room / Math.max(room, other.tries, 1e-9));
  const total = (name: 'tries' | 'solved' | 'calls'): number =>
    own[name] + alike[name] * lentAlike + other[name] * lentOther;
  const written =
    own.written === null || alike.written === null || other.written === null
      ? null
      : own.written + alike.written * lentAlike + other.written * lentOther;
  return {
    tries: total('tries'),
    solved: Math.min(total('solved'), total('tries')),
    calls: total('calls'),
    ...(written === null ? {} : { written }),
    at,
  };
}

/** What is left of a count after so long. A clock that was set back must not increase old counts. */
function fading(ms: number): number {
  return 0.5 ** (Math.max(0, ms) / HALF_LIFE_MS);
}
