import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import type { Comparison } from '@shared/comparisons/comparison.ts';
import {
  comparisonInputSchema,
  comparisonRoutingSchema,
  hiddenCheckSchema,
  runPairSchema,
  verdictSchema,
} from '@shared/comparisons/comparison.ts';
import { waySchema } from '@shared/comparisons/way.ts';
import { nameOfTask, wayName } from '@shared/comparisons/way-name.ts';
import { policySchema } from '@shared/routing/routing.ts';
import { AppError } from '@shared/errors.ts';
import { runStatusSchema } from '@shared/session/run-options.ts';
import { isMissing, readJsonFile, writeJsonFile } from '../../lib/files/json-file.ts';
import { orNoted } from '../../lib/log.ts';

/**
 * The comparisons of a home: the request, and the session of each run. One file each, replaced as a whole. The logs of
 * the sessions have the details of the runs.
 */
export interface ComparisonStore {
  readonly save: (comparison: Comparison) => Promise<void>;
  /** Rejects with `not-found`, or with `log-damaged` for a file that is not a comparison. The file is not changed. */
  readonly load: (id: string) => Promise<Comparison>;
  /** Latest first. Unreadable files are left out. */
  readonly list: () => Promise<readonly Comparison[]>;
  /** The texts of files that are not comparisons. Rejects if one cannot be read at all. */
  readonly unread: () => Promise<readonly string[]>;
}

const version = 2;
const tokensSchema = z.object({
  freshInput: z.number(),
  cacheRead: z.number(),
  cacheWrite: z.number(),
  output: z.number(),
});
const countSchema = z.object({ passed: z.number(), of: z.number() });
const intervalSchema = z.object({ value: z.number(), low: z.number(), high: z.number() });
const unpricedSchema = z.number().nullable().optional();
const runSchema = z.object({
  task: z.number(),
  way: z.string(),
  repeat: z.number(),
  state: z.enum(['waiting', 'running', 'ended', 'skipped']),
  sessionId: z.string().nullable(),
  why: z.string().nullable(),
  check: z
    .object({
      command: z.string(),
      passed: z.boolean().nullable(),
      seconds: z.number(),
      summary: z.string(),
      named: z.object({ asked: countSchema, kept: countSchema }).optional(),
    })
    .nullable(),
  figures: z
    .object({
      status: runStatusSchema,
      reason: z.string(),
      passedBefore: z.boolean().nullable(),
      steps: z.number(),
      localSteps: z.number(),
      seconds: z.number(),
      tokens: tokensSchema,
      costUsd: z.number().nullable(),
      energyWh: z.number().nullable(),
      elsewhere: z.object({ cloudUsd: intervalSchema.nullable(), localSeconds: intervalSchema.nullable() }).optional(),
      modelSeconds: z.number().optional(),
      localSeconds: z.number().optional(),
      energyUsd: unpricedSchema,
      hardwareUsd: unpricedSchema,
    })
    .nullable(),
});
const fileSchema = z.object({
  version: z.literal(version),
  id: z.string(),
  createdAt: z.number(),
  input: comparisonInputSchema,
  routingSnapshot: comparisonRoutingSchema.optional(),
  runs: z.array(runSchema),
  judgements: z.array(
    z.object({
      ...runPairSchema.shape,
      by: z.enum(['you', 'model']),
      verdict: verdictSchema.nullable(),
      why: z.string(),
      costUsd: z.number().nullable(),
    }),
  ),
  abandoned: z.array(z.string()),
  abandonedUsd: z.number().optional(),
});

/** Files of earlier versions compare policies on one task. */
const earlierSchema = z.object({
  ...fileSchema.omit({ judgements: true }).shape,
  version: z.literal(1),
  input: z.object({
    ...comparisonInputSchema.omit({ tasks: true, ways: true }).shape,
    task: z.string().min(1),
    policies: z.array(policySchema).min(1),
    strategy: z.enum(['auto', 'recipe', 'loop']).default('auto'),
  }),
  runs: z.array(runSchema.omit({ task: true, way: true }).extend({ policy: policySchema })),
});

function readStored(value: unknown): z.infer<typeof fileSchema> {
  const earlier = earlierSchema.safeParse(value);
  return fileSchema.parse(earlier.success ? asWays(earlier.data) : withOwnHidden(value));
}

const hiddenFirstSchema = z.looseObject({
  input: z.looseObject({
    tasks: z.array(z.looseObject({})),
    hidden: z.object({ ...hiddenCheckSchema.shape, state: z.string().optional() }),
  }),
});

/** Earlier, a hidden check was of the comparison. It is of each task. */
function withOwnHidden(value: unknown): unknown {
  const read = hiddenFirstSchema.safeParse(value).data;
  if (read === undefined) return value;
  const { hidden, ...input } = read.input;
  const { state, ...check } = hidden;
  const own = { hidden: check, ...(state === undefined ? {} : { state }) };
  return { ...read, input: { ...input, tasks: input.tasks.map((task) => ({ ...own, ...task })) } };
}

function asWays({ input: old, runs, routingSnapshot, ...rest }: z.infer<typeof earlierSchema>): unknown {
  const { task, policies, strategy, ...input } = old;
  const wayFor = (policy: (typeof policies)[number]) =>
    waySchema.parse({ policy, ...(strategy === 'auto' ? {} : { strategy }) });
  const nameOf = (policy: string): string => wayName(wayFor(policySchema.parse(policy)));
  const routing = Object.entries(routingSnapshot?.routing ?? {}).map(([policy, one]) => [nameOf(policy), one] as const);
  return {
    ...rest,
    version,
    input: { ...input, tasks: [{ name: nameOfTask(task), text: task }], ways: policies.map(wayFor) },
    ...(routingSnapshot === undefined
      ? {}
      : { routingSnapshot: { ...routingSnapshot, routing: Object.fromEntries(routing) } }),
    runs: runs.map(({ policy, ...run }) => ({ ...run, task: 0, way: nameOf(policy) })),
    judgements: [],
  };
}

export function createComparisonStore(folder: string): ComparisonStore {
  const read = async (id: string): Promise<Comparison> => {
    if (!/^[a-z0-9][a-z0-9-]{0,99}$/u.test(id)) throw unknown(id);
    const file = await readJsonFile(join(folder, `${id}.json`), readStored);
    if (file.type === 'missing') throw unknown(id);
    if (file.type === 'damaged') {
      throw new AppError('log-damaged', `The comparison ${id} cannot be read: ${file.reason}`, {
        hint: 'The file was not changed. You can still open the sessions of its runs.',
      });
    }
    const { version: _, routingSnapshot, ...comparison } = file.value;
    return { ...comparison, id, ...(routingSnapshot === undefined ? {} : { routingSnapshot }) };
  };
  const ids = async (): Promise<readonly string[]> => {
    const names = await readdir(folder).catch((error: unknown) => {
      if (isMissing(error)) return [];
      throw error;
    });
    return names.filter((name) => /^[a-z0-9].*\.json$/u.test(name)).map((name) => name.slice(0, -5));
  };
  return {
    save: (comparison) => writeJsonFile(join(folder, `${comparison.id}.json`), { version, ...comparison }),
    load: read,
    unread: async () => {
      const texts: string[] = [];
      for (const id of await ids()) {
        const isRead = await read(id).catch(() => null);
        if (isRead === null) texts.push(await readFile(join(folder, `${id}.json`), 'utf8'));
      }
      return texts;
    },
    list: async () => {
      // A damaged file does not hide the others. Opening it reports the problem.
      const found = await Promise.all(
        (await ids()).map((id) => read(id).catch(orNoted('A comparison was not read', null))),
      );
      return found
        .filter((one) => one !== null)
        .sort((left, right) => right.createdAt - left.createdAt || (left.id < right.id ? 1 : -1));
    },
  };
}

function unknown(id: string): AppError {
  return new AppError('not-found', `The comparison "${id}" was not found.`, {
    hint: 'Run `dewpoint compare --list` to see your comparisons.',
  });
}
