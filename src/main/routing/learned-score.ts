import { createHash } from 'node:crypto';
import { z } from 'zod';
import shipped from '../../../resources/routing/solve-score.json';
import type { Ability } from '@shared/routing/priors.ts';
import type { Features, PairNames, Vote } from './define.ts';
import { upperBound } from './upper-bound.ts';

/** A step function of one feature: `values[n]` up to and with `edges[n]`, the last one above all edges. */
const partSchema = z.strictObject({ edges: z.array(z.number()), values: z.array(z.number()) });

/** What was learned from recorded runs of many models: the chance that a model solves the rest of a task. */
const scoreSchema = z.strictObject({
  version: z.literal(1),
  date: z.string(),
  /** What it was trained on: the hash of all rows, so that a training can be repeated. */
  data: z.strictObject({ sha256: z.string(), rows: z.number(), sets: z.array(z.string()) }),
  card: z.strictObject({ trainedOn: z.string(), worth: z.string(), limits: z.string() }),
  /** Log odds of solving, without anything seen, for a model that solves half of such tasks. */
  base: z.number(),
  /** How much the log odds of a model's own rate count, and how much less with the share of steps that were made. */
  ability: z.number(),
  fading: z.number(),
  /** A guess of an ability weighs as much as so many counted turns. */
  imagined: z.number().positive(),
  /** What the steps so far add, by the names of `routing-features.ts`. */
  parts: z.record(z.string(), partSchema),
  /** Log odds that a stronger model solves what the weaker one does not, from both rates. */
  rescue: z.strictObject({ base: z.number(), stronger: z.number(), weaker: z.number() }),
});
export type LearnedScore = z.infer<typeof scoreSchema> & { readonly digest: string };

/**
 * Parses a model file. Throws if it is not valid, which is a fault of the build. The digest is of what decides alone, so
 * that another word in the card changes no decision of an older log.
 */
export function parseScore(file: unknown): LearnedScore {
  const score = scoreSchema.parse(file);
  const { version, base, ability, fading, imagined, parts, rescue } = score;
  const deciding = JSON.stringify({ version, base, ability, fading, imagined, parts, rescue });
  return { ...score, digest: createHash('sha256').update(deciding).digest('hex').slice(0, 16) };
}

/** The score that new turns are routed by. */
export const currentScore = parseScore(shipped);

/**
 * The score that a turn's numbers name. Null for logs from before there was one, and for a file that this build does not
 * have: then the rules vote by the weights that were set by hand.
 */
export function scoreNamed(digest: string | undefined): LearnedScore | null {
  return digest === currentScore.digest ? currentScore : null;
}

/** Rules that vote about what the score has learned. Where it decides, they do not vote. */
export const replacedRules: ReadonlySet<string> = new Set(['model-size', 'own-record', 'trajectory']);

/** The reasons of the score, as votes: together, the log odds that the weaker model does not solve the rest. */
export function votesOfScore(
  score: LearnedScore,
  { features, ability }: { readonly features: Features; readonly ability: Ability },
  names: PairNames,
): readonly Vote[] {
  const used = features.stepShare ?? 0;
  const own = -(score.base + (score.ability + score.fading * used) * logOdds(ability.chance));
  const parts = Object.entries(score.parts).map(([name, part]) => {
    const value = features[name] ?? 0;
    return voteOf(-valueAt(part, value), partReason(name, value));
  });
  return [voteOf(own, abilityReason(names.weaker, ability, features)), ...parts].filter(({ weight }) => weight > 0);
}

function voteOf(towardCloud: number, reason: string): Vote {
  return {
    rule: 'solve-score',
    toward: towardCloud > 0 ? 'cloud' : 'local',
    weight: Math.round(Math.abs(towardCloud) * 1000) / 1000,
    reason,
  };
}

const sources: Readonly<Record<Ability['source'], string>> = {
  record: 'by its record, this project first',
  size: 'by its size',
  price: 'by its price',
  unknown: 'as a guess',
};

function abilityReason(
  name: string,
  { chance, source }: Ability,
  { localTries = 0, localSolved = 0 }: Features,
): string {
  const text = `${name} does about ${Math.round(chance * 100)}% of usual tasks, ${sources[source]}`;
  // Counts fade, so they are no whole numbers: fewer tasks and more failures can only make the bound safer.
  const [tasks, failures] = [Math.floor(localTries), Math.ceil(localTries - localSolved)];
  if (source !== 'record' || tasks === 0) return `${text}.`;
  const least = Math.round((1 - upperBound(failures, tasks)) * 100);
  return `${text}: at least ${least}%, as far as ${tasks} checked ${tasks === 1 ? 'task says' : 'tasks say'} with 95% certainty.`;
}

const clean: Readonly<Record<string, string>> = {
  consecutiveFailures: 'No step went wrong just before.',
  severity: 'None of the last three steps went wrong.',
  repeatedCalls: 'No call was repeated.',
  sameErrors: 'No failure came again.',
  emptyResults: 'No search came back empty.',
  stepShare: 'The work begins.',
};

function partReason(name: string, value: number): string {
  if (value === 0) return clean[name] ?? 'Nothing of this kind was seen.';
  if (name === 'stepShare') return `The task used ${Math.round(value * 100)}% of the steps that tasks usually take.`;
  if (name === 'consecutiveFailures')
    return value === 1 ? 'The last step went wrong.' : `The last ${value} steps went wrong.`;
  if (name === 'severity') return 'Some of the last three steps went wrong.';
  if (name === 'repeatedCalls') return value === 1 ? 'A call was repeated.' : `${value} calls were repeated.`;
  if (name === 'sameErrors') return 'The same failure came again.';
  if (name === 'emptyResults') return value === 1 ? 'A search found nothing.' : `${value} searches found nothing.`;
  return `${name} is ${value}.`;
}

function valueAt({ edges, values }: z.infer<typeof partSchema>, value: number): number {
  const place = edges.findIndex((edge) => value <= edge);
  return values[place === -1 ? edges.length : place] ?? 0;
}

/** The chance that a stronger model solves a task that the weaker one does not, by what each solves of usual tasks. */
export function takeoverChance({ rescue }: LearnedScore, weaker: number, stronger: number): number {
  return chance(rescue.base + rescue.stronger * logOdds(stronger) + rescue.weaker * logOdds(weaker));
}

function logOdds(share: number): number {
  const inside = Math.min(0.98, Math.max(0.02, share));
  return Math.log(inside / (1 - inside));
}

function chance(odds: number): number {
  return 1 / (1 + Math.exp(-odds));
}
