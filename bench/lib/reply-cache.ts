import { createHash } from 'node:crypto';
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
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
  /** From the call to its end, of whoever waited for it, beside whatever else was at work. */
  tookMs: z.number(),
  /** Which engine said it, and when. */
  about: z.object({ model: z.string(), at: z.string() }),
});
type Reply = z.infer<typeof replySchema>;

export interface ReplyCache {
  /** Asks the provider only for what it has not been asked before. */
  readonly wrap: (provider: Provider) => Provider;
  /** Milliseconds since 1970; it stands still while a model is asked, and then goes on by what the answer takes. */
  readonly now: () => number;
  /** A run begins: no server has anything of the one before. */
  readonly begin: () => void;
  /** Answers that came out of the cache, those that a model gave, and calls that failed, since the start. */
  readonly counts: () => { readonly kept: number; readonly asked: number; readonly failed: number };
}

export interface ReplyCacheParts {
  readonly folder: string;
  /** What a model is, so that another file of the same name gets answers of its own; by provider and name. */
  readonly digestOf: (provider: string, model: string) => string;
  /** Null: an answer takes what it took when it was given, also when it is given again. For a machine with nothing else at work. */
  readonly speedOf: FindSpeed | null;
}

/**
 * Every answer of a model by what it was asked: model, messages, tools, output form, sampling and seed (but for a
 * greedy one, which a seed does not change). It takes what its tokens take of a model that has the machine for itself,
 * whether it is given now or again: so who goes by the time left does the same at every load. Errors and what was
 * cancelled are not kept.
 */
export function createReplyCache({ folder, digestOf, speedOf }: ReplyCacheParts): ReplyCache {
  const clock = createHaltingClock();
  const count = { kept: 0, asked: 0, failed: 0 };
  /** What each server was asked last, for it keeps that. */
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
    // How long it reads only an engine says; how long it writes is seen of every stream.
    const isTold = ended.timings.prefillMs !== null;
    return { ...ended, timings: { queuedMs: 0, prefillMs: isTold ? prefillMs : null, decodeMs, totalMs } };
  };
  const fileOf = (provider: Provider, request: ModelRequest, what: string): string => {
    // The key of the prefix has the session's id in it; what is asked next changes no answer.
    const { cacheKey: _, also: _also, seed, ...rest } = request;
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
    // Whoever has the end asks for nothing after it, so nothing after this may be left to do.
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
    begin: () => last.clear(),
    counts: () => ({ ...count }),
  };
}

interface HaltingClock {
  readonly now: () => number;
  /** As often as `goOn`: calls may overlap. */
  readonly halt: () => void;
  readonly goOn: () => void;
  readonly pass: (ms: number) => void;
}

/** Never goes back. */
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
