import { appendFile, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import type { AskedAgain } from '@shared/comparisons/asked-again.ts';
import { AppError } from '@shared/errors.ts';
import { isDiskFull, isMissing } from '../lib/files/json-file.ts';
import { sha256Of } from '../lib/sha256.ts';

type Answered = Extract<AskedAgain['again'], { readonly type: 'answered' }>;

/** How the answers of one model to the requests of one session compare. A cut replay is resumed with them. */
export interface KeptAnswers {
  /** By the id of the recorded call. */
  readonly all: ReadonlyMap<string, Answered>;
  /** Throws `disk-full`, or the error of the file system. */
  readonly add: (callId: string, answer: Answered) => Promise<void>;
}

/** What a call was about is not in it: a text that is forgotten elsewhere must not remain here. */
const lineSchema = z.strictObject({
  callId: z.string(),
  agreement: z.enum(['target', 'tool', 'words', 'other']),
  tool: z.string().nullable(),
  promptTokens: z.number(),
  outputTokens: z.number(),
  seconds: z.number(),
  costUsd: z.number().nullable(),
});

/**
 * Reads what is kept in the folder of a session. `isNew`: the first answer that is added replaces all that were there.
 * The file goes when the session goes.
 */
export async function readKeptAnswers(folder: string, model: string, isNew = false): Promise<KeptAnswers> {
  const path = join(folder, `asked-again-${sha256Of(model).slice(0, 16)}.jsonl`);
  let isReplacing = isNew;
  return {
    all: parse(await readFile(path, 'utf8').catch(orEmpty), model),
    add: async (callId, { agreement, tool, promptTokens, outputTokens, seconds, costUsd }) => {
      const line = { callId, agreement, tool, promptTokens, outputTokens, seconds, costUsd };
      try {
        if (isReplacing) await rm(path, { force: true });
        isReplacing = false;
        // A full disk may have cut the line before.
        await appendFile(path, `\n${JSON.stringify(line)}\n`, { mode: 0o600 });
      } catch (error) {
        if (!isDiskFull(error)) throw error;
        throw new AppError('disk-full', 'The disk is full, so nothing more is asked. Earlier answers are kept.', {
          hint: 'Free disk space, then resume.',
        });
      }
    },
  };
}

function orEmpty(error: unknown): string {
  if (isMissing(error)) return '';
  throw error;
}

function parse(text: string, model: string): ReadonlyMap<string, Answered> {
  const found = new Map<string, Answered>();
  for (const line of text.split('\n')) {
    const answer = answerIn(line);
    if (answer === null) continue;
    const { callId, ...rest } = answer;
    found.set(callId, { type: 'answered', model, target: rest.tool === null ? null : '', ...rest });
  }
  return found;
}

/** Null: an empty line, or one that a crash cut. */
function answerIn(line: string): z.infer<typeof lineSchema> | null {
  try {
    return lineSchema.parse(JSON.parse(line));
  } catch {
    return null;
  }
}
