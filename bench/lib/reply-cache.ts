import { createHash } from 'node:crypto';
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { engineReportSchema, timingsSchema } from '@shared/call-report.ts';
import { stopReasonSchema } from '@shared/events.ts';
import { type Part, partSchema } from '@shared/messages.ts';
import { usageSchema } from '@shared/money.ts';
import { z } from 'zod';
import type { ModelRequest, Provider, StreamEnded, StreamPart } from '../../src/main/providers/define.ts';

const replySchema = z.object({
  parts: z.array(partSchema),
  ended: z.object({
    stopReason: stopReasonSchema,
    usage: usageSchema,
    evaluatedTokens: z.number().nullable(),
    timings: timingsSchema,
    model: z.string().optional(),
    engine: engineReportSchema.optional(),
    logprobs: z.array(z.number()).optional(),
  }),
  /** From the call to its end, of whoever waited for it. */
  tookMs: z.number(),
  /** Which engine said it, and when. */
  about: z.object({ model: z.string(), at: z.string() }),
});
type Reply = z.infer<typeof replySchema>;

export interface ReplyCache {
  /** Asks the provider only for what it has not been asked before. */
  readonly wrap: (provider: Provider) => Provider;
  /** Milliseconds since 1970, and those on top that answers from the cache took when they were given. */
  readonly now: () => number;
  /** Answers that came out of the cache, and those that a model gave, since the start. */
  readonly counts: () => { readonly kept: number; readonly asked: number };
}

export interface ReplyCacheParts {
  readonly folder: string;
  /** What a model is, so that another file of the same name gets answers of its own; by provider and name. */
  readonly digestOf: (provider: string, model: string) => string;
}

/**
 * Every answer of a model by what it was asked: model, messages, tools, output form, sampling and seed. What was measured
 * the first time (times, tokens, what the engine had kept) is given again as it was, and the clock goes on by it: so
 * that who goes by the time left does the same again. Errors and what was cancelled are not kept.
 */
export function createReplyCache({ folder, digestOf }: ReplyCacheParts): ReplyCache {
  let skippedMs = 0;
  const count = { kept: 0, asked: 0 };
  const fileOf = (provider: Provider, request: ModelRequest, what: string): string => {
    // The key of the prefix has the session's id in it.
    const { cacheKey: _, ...asked } = request;
    const text = JSON.stringify([what, digestOf(provider.id, request.model), sorted(asked)]);
    const key = createHash('sha256').update(text).digest('hex');
    return join(folder, key.slice(0, 2), `${key}.json`);
  };

  async function* stream(provider: Provider, request: ModelRequest, signal: AbortSignal): AsyncIterable<StreamPart> {
    const file = fileOf(provider, request, 'reply');
    const known = await read(file, replySchema);
    if (known !== null && !signal.aborted) {
      count.kept += 1;
      skippedMs += known.tookMs;
      for (const part of known.parts) yield* partOf(part);
      yield endOf(known.ended);
      return;
    }
    count.asked += 1;
    const begunAt = performance.now();
    const parts: Part[] = [];
    let end: StreamEnded | null = null;
    for await (const part of provider.stream(request, signal)) {
      note(parts, part);
      if (part.type === 'ended') end = part;
      else yield part;
    }
    if (end === null) throw new Error(`${provider.id} gave no end`);
    if (end.error === null && end.stopReason !== 'cancelled') {
      const { type: _type, error: _error, ...ended } = end;
      const about = { model: `${provider.id}/${request.model}`, at: new Date().toISOString() };
      const took = performance.now() - begunAt;
      await write(file, { parts, ended: { ...ended, logprobs: copy(end.logprobs) }, tookMs: took, about });
    }
    yield end;
  }

  const countTokens = async (
    provider: Provider,
    request: ModelRequest,
    signal: AbortSignal,
  ): Promise<number | null> => {
    const file = fileOf(provider, request, 'count');
    const known = await read(file, z.number());
    if (known !== null) return known;
    const counted = await provider.countTokens(request, signal);
    if (counted !== null) await write(file, counted);
    return counted;
  };

  return {
    wrap: (provider) => ({
      ...provider,
      countTokens: (request, signal) => countTokens(provider, request, signal),
      stream: (request, signal) => stream(provider, request, signal),
    }),
    now: () => Date.now() + Math.round(skippedMs),
    counts: () => ({ ...count }),
  };
}

function endOf({ model, engine, logprobs, ...rest }: Reply['ended']): StreamEnded {
  return {
    type: 'ended',
    error: null,
    ...rest,
    ...(model === undefined ? {} : { model }),
    ...(engine === undefined ? {} : { engine }),
    ...(logprobs === undefined ? {} : { logprobs }),
  };
}

function copy(values: readonly number[] | undefined): number[] | undefined {
  return values === undefined ? undefined : [...values];
}

function note(parts: Part[], part: StreamPart): void {
  const last = parts.at(-1);
  if (part.type === 'text-delta') {
    if (last?.type === 'text') parts[parts.length - 1] = { type: 'text', text: last.text + part.text };
    else parts.push({ type: 'text', text: part.text });
  }
  if (part.type === 'tool-call') parts.push(part.call);
  if (part.type === 'reasoning') parts.push(part.part);
}

function* partOf(part: Part): Iterable<StreamPart> {
  if (part.type === 'text') yield { type: 'text-delta', text: part.text };
  if (part.type === 'tool-call') yield { type: 'tool-call', call: part };
  if (part.type === 'reasoning') yield { type: 'reasoning', part };
}

async function read<Value>(file: string, schema: z.ZodType<Value>): Promise<Value | null> {
  const text = await readFile(file, 'utf8').catch(() => null);
  if (text === null) return null;
  return schema.parse(JSON.parse(text));
}

/** As a whole or not at all, for a bench may be killed. */
async function write(file: string, value: Reply | number): Promise<void> {
  await mkdir(dirname(file), { recursive: true });
  const part = `${file}.${process.pid}.part`;
  await writeFile(part, JSON.stringify(value));
  await rename(part, file);
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .sort(([left], [right]) => (left < right ? -1 : 1))
      .map(([name, inner]) => [name, sorted(inner)]),
  );
}
