import { createHash } from 'node:crypto';
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { engineReportSchema, timingsSchema } from '@shared/events/call-report.ts';
import { type Part, partSchema } from '@shared/models/model-messages.ts';
import { promptTokensOf, usageSchema } from '@shared/money/token-cost.ts';
import { z } from 'zod';
import type { ModelRequest, Provider, StreamEnded, StreamPart } from '../../src/main/models/providers/define.ts';
import { type FindSpeed, keptShare } from './model-speed.ts';
import { stopReasonSchema } from '@shared/events/call-events.ts';

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
  /** The time from the call to its end, including delays by other load. */
  tookMs: z.number(),
  /** Which engine answered, and when. */
  about: z.object({ model: z.string(), at: z.string() }),
});
type Reply = z.infer<typeof replySchema>;

export interface ReplyCache {
  /** Wraps a provider, so that only new requests reach it. */
  readonly wrap: (provider: Provider) => Provider;
  /** Milliseconds since 1970. The clock stops while a model is asked, then advances by the time of the answer. */
  readonly now: () => number;
  /** Begins a run, in which no server has anything cached from the run before. */
  readonly begin: () => void;
  /** What was asked since then, in order: the start of each request's hash. */
  readonly asked: () => readonly string[];
  /** Answers from the cache, answers from a model, and failed calls, since the start. */
  readonly counts: () => { readonly kept: number; readonly asked: number; readonly failed: number };
}

export interface ReplyCacheParts {
  readonly folder: string;
  /** Identifies a model by provider and name, so that another file of the same name gets its own answers. */
  readonly digestOf: (provider: string, model: string) => string;
  /** Null: an answer takes its original time, also when it is repeated. Use this on an otherwise idle machine. */
  readonly speedOf: FindSpeed | null;
}

/**
 * Caches every answer of a model. The key is the model, messages, tools, output form, sampling and seed. A seed does
 * not change a greedy answer, so it is left out there. New and cached answers take the time that their tokens take on
 * an idle machine, so decisions that depend on the remaining time are the same under any load. Errors and cancelled
 * answers are not kept.
 */
export function createReplyCache({ folder, digestOf, speedOf }: ReplyCacheParts): ReplyCache {
  const clock = createHaltingClock();
  const count = { kept: 0, asked: 0, failed: 0 };
  /** The last request of each server, because servers keep its prompt cached. */
  const asked: string[] = [];
  const last = new Map<string, ModelRequest['messages']>();
  const timed = async (
    provider: Provider,
    request: ModelRequest,
    ended: StreamEnded,
    signal: AbortSignal,
  ): Promise<StreamEnded> => {
    if (speedOf === null) return ended;
    const { readMs, writtenMs } = await speedOf(provider, request.model, signal);
    const kept = keptShare(last.get(provider.id) ?? null, request.messages);
    last.set(provider.id, request.messages);
    const read = ended.evaluatedTokens ?? Math.max(1, promptTokensOf(ended.usage) * (1 - kept));
    const [prefillMs, decodeMs] = [read * readMs, ended.usage.output * writtenMs];
    const totalMs = prefillMs + decodeMs;
    // Only an engine reports its prefill time. The decoding time is known for every stream.
    const isTold = ended.timings.prefillMs !== null;
    return { ...ended, timings: { queuedMs: 0, prefillMs: isTold ? prefillMs : null, decodeMs, totalMs } };
  };
  const fileOf = (provider: Provider, request: ModelRequest, what: string): string => {
    // `cacheKey` contains the session's id.
    const { cacheKey: _, seed, ...rest } = request;
    const asked = { ...rest, seed: rest.temperature === 0 ? null : seed };
    const text = JSON.stringify([what, digestOf(provider.id, request.model), sorted(asked)]);
    const key = createHash('sha256').update(text).digest('hex');
    return join(folder, key.slice(0, 2), `${key}.json`);
  };

  async function* ask(
    provider: Provider,
    request: ModelRequest,
    file: string,
    signal: AbortSignal,
  ): AsyncGenerator<StreamPart, StreamEnded> {
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
    if (end.error !== null) count.failed += 1;
    return end;
  }

  async function* give(
    provider: Provider,
    request: ModelRequest,
    signal: AbortSignal,
  ): AsyncGenerator<StreamPart, StreamEnded> {
    const file = fileOf(provider, request, 'reply');
    asked.push(basename(file).slice(0, 12));
    const known = await read(file, replySchema);
    let end: StreamEnded;
    if (known !== null && !signal.aborted) {
      count.kept += 1;
      for (const part of known.parts) yield* partOf(part);
      end = endOf(known.ended);
    } else end = yield* ask(provider, request, file, signal);
    if (end.error === null) end = await timed(provider, request, end, signal);
    clock.pass(end.timings.totalMs);
    return end;
  }

  async function* stream(provider: Provider, request: ModelRequest, signal: AbortSignal): AsyncIterable<StreamPart> {
    let end: StreamEnded;
    clock.halt();
    try {
      end = yield* give(provider, request, signal);
    } finally {
      clock.goOn();
    }
    // A caller that has the end stops reading, so nothing may be left to do after it.
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
    now: clock.now,
    begin: () => {
      last.clear();
      asked.length = 0;
    },
    asked: () => [...asked],
    counts: () => ({ ...count }),
  };
}

interface HaltingClock {
  readonly now: () => number;
  /** Must be called as often as `halt`, because calls may overlap. */
  readonly halt: () => void;
  readonly goOn: () => void;
  readonly pass: (ms: number) => void;
}

/** A clock that never goes backwards. */
function createHaltingClock(): HaltingClock {
  let offset = 0;
  let running = 0;
  let haltedAt = 0;
  return {
    now: () => Math.round((running > 0 ? haltedAt : Date.now()) + offset),
    halt: () => {
      if (running === 0) haltedAt = Date.now();
      running += 1;
    },
    goOn: () => {
      running -= 1;
      if (running === 0) offset -= Date.now() - haltedAt;
    },
    pass: (ms) => {
      offset += ms;
    },
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

/** Writes the file completely or not at all, because a bench may be killed. */
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
