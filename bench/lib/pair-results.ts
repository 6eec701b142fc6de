import { appendFile, mkdir, readFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { energySchema, timingsSchema } from '@shared/events/call-report.ts';
import { whereSchema } from '@shared/models/model-info.ts';
import { usageSchema } from '@shared/money/token-cost.ts';
import { runStatusSchema } from '@shared/session/run-options.ts';
import { z } from 'zod';
import { pairPolicies } from './pair-options.ts';
import { purposeSchema } from '@shared/events/call-events.ts';

const callSchema = z.object({
  where: whereSchema,
  purpose: purposeSchema,
  end: z.object({
    usage: usageSchema,
    evaluatedTokens: z.number().nullable(),
    timings: timingsSchema,
    costUsd: z.number().nullable(),
    energy: energySchema.optional(),
  }),
});

/** A move of the work to another place, and the text that explained it. */
const moveSchema = z.object({ to: whereSchema, cause: z.string(), text: z.string() });

const pairRecordSchema = z.object({
  key: z.string(),
  task: z.string(),
  kind: z.enum(['small', 'two-file', 'planted', 'question']),
  split: z.enum(['dev', 'held']),
  policy: z.enum(pairPolicies),
  at: z.string(),
  commit: z.string(),
  solved: z.boolean(),
  visible: z.boolean().nullable(),
  accepted: z.boolean(),
  status: runStatusSchema,
  reason: z.string(),
  confidence: z.string().nullable(),
  /** The waiting time of the user, including the original times of cached answers. */
  seconds: z.number(),
  costUsd: z.number(),
  calls: z.array(callSchema),
  /** Answers that came from an earlier run of the same question, and answers that a model gave now. */
  answers: z.object({ kept: z.number(), asked: z.number() }),
  moves: z.array(moveSchema),
  guarded: z.array(z.string()),
  worse: z.array(z.string()),
  /** Set if the bench itself failed. */
  fault: z.string().nullable(),
});
export type PairRecord = z.infer<typeof pairRecordSchema>;

/**
 * Reads a results file with one line a run. The last of equal keys counts, faults do not. An incomplete last line is
 * left out.
 */
export async function readPairResults(path: string): Promise<ReadonlyMap<string, PairRecord>> {
  const text = await readFile(path, 'utf8').catch(() => '');
  const done = new Map<string, PairRecord>();
  const lines = text.split('\n');
  for (const line of lines.slice(0, -1)) {
    const record = pairRecordSchema.parse(JSON.parse(line));
    if (record.fault === null) done.set(record.key, record);
  }
  return done;
}

export async function appendPairResult(path: string, record: PairRecord): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  const before = await readFile(path, 'utf8').catch(() => '');
  const torn = before !== '' && !before.endsWith('\n');
  await appendFile(path, `${torn ? '\n' : ''}${JSON.stringify(record)}\n`);
}
