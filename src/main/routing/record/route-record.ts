import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import type { Priors } from '@shared/routing/priors.ts';
import { taskOutcomeSchema, type TaskOutcome } from '@shared/routing/outcomes.ts';
import type { ModelInfo } from '@shared/models/model-info.ts';
import type { RoutingNumbers } from '@shared/routing/routing.ts';
import { readJsonFile, writeJsonFile } from '../../lib/files/json-file.ts';
import type { WayBack } from '../../lib/async/all-or-none.ts';
import { sha256Of } from '../../lib/sha256.ts';
import type { TurnOptions } from '../../settings/turn-options.ts';
import { currentScore } from '../learned-score.ts';
import { keptHere } from './bound-harm.ts';
import { priorsOf } from './count-outcomes.ts';
import { fitCalibration } from './fit-calibration.ts';
import { olderCountsSchema, outcomesOfCounts } from './older-counts.ts';
import {
  outcomeOfRun,
  outcomesOfSession,
  projectKey,
  type JudgedSession,
  type RunVerdict,
} from './outcomes-of-session.ts';
import { type MonthSpent, paceOf, recentSince } from './pace-of-month.ts';

const fileSchema = z.strictObject({ version: z.literal(1), outcomes: z.array(taskOutcomeSchema) });

/** The file of earlier versions. */
const olderFile = 'route-priors.json';

/** The oldest outcomes are left out. */
const MOST_OUTCOMES = 2000;

/** A task that something else than a session judged, such as a calibration. */
export interface CalibratedTask {
  /** A name that stays the same when the task is done again, so that it counts once. */
  readonly id: string;
  readonly projectPath: string;
  readonly model: string;
  /** The ending of its files, such as `ts`. */
  readonly language: string;
  readonly kind: TaskOutcome['kind'];
  readonly solved: boolean;
  readonly seconds: number;
  /** Null: a price is unknown. */
  readonly usd: number | null;
  readonly calls: number;
  readonly written: number | null;
}

interface NumbersAsked {
  readonly models: readonly string[];
  /** The model that begins. */
  readonly first: string;
  readonly numbers: RoutingNumbers;
}

/** What this machine has learned about its models. Nothing of it leaves the machine. */
export interface RouteRecord {
  /**
   * The options of a turn with the score that decides and what is known about its models, so that the log has what the
   * turn was routed by.
   */
  readonly given: (options: TurnOptions, projectPath: string | null) => Promise<TurnOptions>;
  /** The same for models that are named, in a project by its key. Null: in the whole home. */
  readonly numbersFor: (asked: NumbersAsked, project: string | null) => Promise<RoutingNumbers>;
  /** How each model did in the whole home. */
  readonly priors: () => Promise<Priors>;
  readonly outcomes: () => Promise<readonly TaskOutcome[]>;
  /** Takes over what a session's log now says about its tasks. An outcome that is known is judged anew. */
  readonly learn: (session: JudgedSession) => Promise<void>;
  /** Takes over how a run of a comparison was judged, once, however often it is told. */
  readonly learnRun: (session: JudgedSession, verdict: RunVerdict) => Promise<void>;
  /** Counts tasks that were judged elsewhere. */
  readonly add: (tasks: readonly CalibratedTask[]) => Promise<void>;
  /** What was learned in a project counts under its new key. Safe to repeat. */
  readonly moveProject: (from: string, to: string) => Promise<WayBack>;
  /** Forgets what was learned in a project, or everything. Returns how many tasks were forgotten. */
  readonly forget: (projectPath: string | null) => Promise<number>;
  readonly versionsOf: (models: readonly string[]) => Promise<(model: string) => string>;
  /** What the month's limit leaves. Null: there is none. */
  readonly month: () => Promise<(MonthSpent & { readonly factor: number }) | null>;
}

export interface RouteRecordOptions {
  /** The folder of the home. Only its core writes there. */
  readonly home: string;
  readonly now: () => number;
  /** The digest and context of a model; empty: unknown. */
  readonly version: (model: string) => Promise<string>;
  readonly month: () => Promise<MonthSpent | null>;
}

/** What makes a model another one: its files, and about how long its context is, which varies a little with memory. */
export function versionOf(info: Pick<ModelInfo, 'digest' | 'contextTokens' | 'where'> | null): string {
  if (info === null || info.where === 'cloud' || info.digest === undefined) return '';
  return `${info.digest.slice(-16)}@${2 ** Math.round(Math.log2(info.contextTokens))}`;
}

/** A damaged file counts as empty. */
export function createRouteRecord(options: RouteRecordOptions): RouteRecord {
  const path = join(options.home, 'route-record.json');
  let known: Promise<readonly TaskOutcome[]> | null = null;
  let written: Promise<void> = Promise.resolve();
  const outcomes = (): Promise<readonly TaskOutcome[]> => (known ??= read(options.home, path));
  const change = async (to: (before: readonly TaskOutcome[]) => readonly TaskOutcome[]): Promise<void> => {
    const before = outcomes();
    // Sessions that end at the same time are counted one after the other.
    known = before.then(to);
    const after = await known;
    if (after === (await before)) return;
    // Writes run in order; otherwise the first could finish last.
    const save = async (): Promise<void> => {
      await writeJsonFile(path, { version: 1, outcomes: after });
      // It was taken over, and forgetting must not bring it back.
      await rm(join(options.home, olderFile), { force: true });
    };
    written = written.then(save, save);
    await written;
  };
  const versionsOf = async (models: readonly string[]): Promise<(model: string) => string> => {
    const ids = [...new Set(models)];
    const versions = new Map(await Promise.all(ids.map(async (id) => [id, await options.version(id)] as const)));
    return (model) => versions.get(model) ?? '';
  };
  const month: RouteRecord['month'] = async () => {
    const [spent, all, now] = [await options.month(), await outcomes(), options.now()];
    return spent === null ? null : { ...spent, factor: paceOf(spent, recentUsd(all, now), now) };
  };
  const numbersFor: RouteRecord['numbersFor'] = async ({ models, first, numbers }, project) => {
    const [all, versionOf, pace] = [await outcomes(), await versionsOf(models), await month()];
    const place = { project, now: options.now(), versionOf };
    const learned = learnedNumbers(all, place, { models, first, limit: numbers.harm ?? null });
    const factor = pace === null || pace.factor === 1 ? {} : { pace: pace.factor };
    // The user's settings take precedence over what was counted.
    return { score: currentScore.digest, ...learned, ...factor, ...numbers };
  };
  return {
    outcomes,
    versionsOf,
    month,
    priors: async () => priorsOf(await outcomes(), { project: null, versionOf: () => '' }),
    numbersFor,
    async given(asked, projectPath) {
      const { local, cloud, modelOrder = [], routing } = asked;
      if (asked.policy !== 'hybrid' && modelOrder.length < 2) return asked;
      const models = [...new Set([local, cloud, ...modelOrder])].filter((id) => id !== null);
      const wanted = { models, first: modelOrder[0] ?? local, numbers: routing.numbers };
      return { ...asked, routing: { ...routing, numbers: await numbersFor(wanted, projectKey(projectPath)) } };
    },
    async learn(session) {
      const versionOf = await versionsOf(session.steps.map(({ stage }) => stage.model));
      await change((before) => withOutcomes(before, outcomesOfSession(session, versionOf)));
    },
    async learnRun(session, verdict) {
      const versionOf = await versionsOf(session.steps.map(({ stage }) => stage.model));
      await change((before) => withOutcomes(before, outcomeOfRun(session, verdict, versionOf)));
    },
    async add(tasks) {
      const versionOf = await versionsOf(tasks.map(({ model }) => model));
      const at = options.now();
      await change((before) =>
        withOutcomes(
          before,
          tasks.map((task) => calibrated(task, at, versionOf)),
        ),
      );
    },
    moveProject: (from, to) => moved(outcomes, change, projectKey(from), projectKey(to)),
    async forget(projectPath) {
      const count = (await outcomes()).length;
      const key = projectKey(projectPath);
      await change((before) => (projectPath === null ? [] : before.filter(({ project }) => project !== key)));
      return count - (await outcomes()).length;
    },
  };
}

/** The same outcomes where none is named, so that nothing is written. */
function inProject(before: readonly TaskOutcome[], ids: ReadonlySet<string>, project: string): readonly TaskOutcome[] {
  return ids.size === 0 ? before : before.map((one) => (ids.has(one.id) ? { ...one, project } : one));
}

async function moved(
  outcomes: RouteRecord['outcomes'],
  change: (to: (before: readonly TaskOutcome[]) => readonly TaskOutcome[]) => Promise<void>,
  from: string,
  to: string,
): Promise<WayBack> {
  const own = new Set((await outcomes()).filter(({ project }) => project === from).map(({ id }) => id));
  const back: WayBack = () => change((before) => inProject(before, own, from));
  try {
    await change((before) => inProject(before, own, to));
    return back;
  } catch (error) {
    // What could not be written is known here all the same.
    await back().catch(() => undefined);
    throw error;
  }
}

/** What the record says for a turn in a place. */
export function learnedNumbers(
  all: readonly TaskOutcome[],
  place: { readonly project: string | null; readonly now: number; readonly versionOf: (model: string) => string },
  asked: { readonly models: readonly string[]; readonly first: string; readonly limit: number | null },
): Partial<Pick<RoutingNumbers, 'priors' | 'kept' | 'calibration'>> {
  const { models, first, limit } = asked;
  const counted = priorsOf(all, place);
  const own = models.flatMap((id) => (counted[id] === undefined ? [] : [[id, counted[id]] as const]));
  const calibration = fitCalibration(all, { models, versionOf: place.versionOf });
  const { project, now, versionOf } = place;
  return {
    ...(own.length === 0 ? {} : { priors: Object.fromEntries(own) }),
    ...(Object.keys(calibration).length === 0 ? {} : { calibration }),
    ...(limit === null
      ? {}
      : { kept: keptHere(all, { model: first, version: versionOf(first), project, now, limit }) }),
  };
}

async function read(home: string, path: string): Promise<readonly TaskOutcome[]> {
  const file = await readJsonFile(path, (value) => fileSchema.parse(value));
  if (file.type === 'value') return file.value.outcomes;
  if (file.type !== 'missing') return [];
  const older = await readJsonFile(join(home, olderFile), (value) => olderCountsSchema.parse(value));
  return older.type === 'value' ? outcomesOfCounts(older.value) : [];
}

/** A task that is known keeps its judgment where nothing newer judges it. */
function withOutcomes(before: readonly TaskOutcome[], found: readonly TaskOutcome[]): readonly TaskOutcome[] {
  const byId = new Map(before.map((one) => [one.id, one]));
  let isNew = false;
  for (const one of found) {
    const known = byId.get(one.id);
    const isTakenBack = one.solved === null && one.by === 'comparison';
    // What else judged it still holds.
    if (isTakenBack && known?.by !== 'comparison') continue;
    const { solved, by } = one.solved === null && known !== undefined && !isTakenBack ? known : one;
    const next = { ...one, solved, by, language: one.language === '' ? (known?.language ?? '') : one.language };
    if (known !== undefined && JSON.stringify(known) === JSON.stringify(next)) continue;
    byId.set(one.id, next);
    isNew = true;
  }
  return isNew ? [...byId.values()].slice(-MOST_OUTCOMES) : before;
}

function calibrated(task: CalibratedTask, at: number, versionOf: (model: string) => string): TaskOutcome {
  const { id, projectPath, model, language, kind, solved, seconds, usd, calls, written } = task;
  const where = usd === null || usd > 0 ? 'cloud' : 'local';
  const version = versionOf(model);
  return {
    id: sha256Of(`calibration\n${id}`).slice(0, 24),
    at,
    project: projectKey(projectPath),
    language,
    kind,
    solved,
    by: 'calibration',
    policy: where,
    first: { model, version, where },
    fails: null,
    hasCloudTried: where === 'cloud',
    usd,
    seconds,
    work: [{ model, version, purpose: 'act', solved, calls, written }],
  };
}

function recentUsd(all: readonly TaskOutcome[], now: number): number {
  const since = recentSince(now);
  return all.reduce((sum, { at, usd }) => (at >= since ? sum + (usd ?? 0) : sum), 0);
}
