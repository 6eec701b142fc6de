import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import type { Comparison } from '@shared/comparisons/comparison.ts';
import { comparisonInputSchema, comparisonRoutingSchema } from '@shared/comparisons/comparison.ts';
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
}

const version = 1;
const tokensSchema = z.object({
  freshInput: z.number(),
  cacheRead: z.number(),
  cacheWrite: z.number(),
  output: z.number(),
});
const intervalSchema = z.object({ value: z.number(), low: z.number(), high: z.number() });
const runSchema = z.object({
  policy: comparisonInputSchema.shape.policies.element,
  repeat: z.number(),
  state: z.enum(['waiting', 'running', 'ended', 'skipped']),
  sessionId: z.string().nullable(),
  why: z.string().nullable(),
  check: z
    .object({ command: z.string(), passed: z.boolean().nullable(), seconds: z.number(), summary: z.string() })
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
  abandoned: z.array(z.string()),
});

export function createComparisonStore(folder: string): ComparisonStore {
  const read = async (id: string): Promise<Comparison> => {
    if (!/^[a-z0-9][a-z0-9-]{0,99}$/u.test(id)) throw unknown(id);
    const file = await readJsonFile(join(folder, `${id}.json`), (value) => fileSchema.parse(value));
    if (file.type === 'missing') throw unknown(id);
    if (file.type === 'damaged') {
      throw new AppError('log-damaged', `The comparison ${id} cannot be read: ${file.reason}`, {
        hint: 'The file was not changed. You can still open the sessions of its runs.',
      });
    }
    const { createdAt, input, routingSnapshot, runs, abandoned } = file.value;
    return { id, createdAt, input, ...(routingSnapshot === undefined ? {} : { routingSnapshot }), runs, abandoned };
  };
  return {
    save: (comparison) => writeJsonFile(join(folder, `${comparison.id}.json`), { version, ...comparison }),
    load: read,
    list: async () => {
      const names = await readdir(folder).catch((error: unknown) => {
        if (isMissing(error)) return [];
        throw error;
      });
      const ids = names.filter((name) => /^[a-z0-9].*\.json$/u.test(name)).map((name) => name.slice(0, -5));
      // A damaged file does not hide the others. Opening it reports the problem.
      const found = await Promise.all(ids.map((id) => read(id).catch(orNoted('A comparison was not read', null))));
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
