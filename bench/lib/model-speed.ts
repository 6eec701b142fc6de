import { createHash } from 'node:crypto';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import { dirname, join } from 'node:path';
import { type Message, textMessage, textOf } from '@shared/models/model-messages.ts';
import { promptTokensOf } from '@shared/money/token-cost.ts';
import { z } from 'zod';
import type { ModelRequest, Provider } from '../../src/main/models/providers/define.ts';
import { plainRequest } from './plain-request.ts';
import { processorMs } from './processor-time.ts';

/** Milliseconds per token of a model that has the machine for itself. */
const speedSchema = z.object({ readMs: z.number().positive(), writtenMs: z.number().positive() });
export type ModelSpeed = z.infer<typeof speedSchema>;

export type FindSpeed = (provider: Provider, model: string, signal: AbortSignal) => Promise<ModelSpeed>;

/** The fastest of these tries counts, because other load can only slow a try down. The first try loads the model. */
const tries = 4;

/**
 * Measures a model once, before its first call, and keeps the result in the folder. Rejects if the model answers
 * nothing.
 */
export function createSpeeds({
  folder,
  digestOf,
  say,
}: {
  readonly folder: string;
  readonly digestOf: (provider: string, model: string) => string;
  readonly say: (line: string) => void;
}): FindSpeed {
  const found = new Map<string, Promise<ModelSpeed>>();
  const find = async (provider: Provider, model: string, signal: AbortSignal): Promise<ModelSpeed> => {
    const key = createHash('sha256').update(digestOf(provider.id, model)).digest('hex');
    const file = join(folder, `${key}.json`);
    const text = await readFile(file, 'utf8').catch(() => null);
    const known = text === null ? null : speedSchema.parse(JSON.parse(text));
    const speed = known ?? (await measure(provider, model, signal));
    const { readMs, writtenMs } = speed;
    say(`${model} reads a token in ${readMs.toFixed(1)} ms and writes one in ${writtenMs.toFixed(1)} ms, alone`);
    await mkdir(dirname(file), { recursive: true });
    if (known === null) await writeFile(file, JSON.stringify(speed));
    return speed;
  };
  return (provider, model, signal) => {
    const id = `${provider.id}/${model}`;
    const speed = found.get(id) ?? find(provider, model, signal);
    found.set(id, speed);
    return speed;
  };
}

async function measure(provider: Provider, model: string, signal: AbortSignal): Promise<ModelSpeed> {
  const all: ModelSpeed[] = [];
  for (let turn = 0; turn < tries; turn += 1)
    all.push(await measureOnce(provider, countingRequest(model, turn), signal));
  return {
    readMs: Math.min(...all.map(({ readMs }) => readMs)),
    writtenMs: Math.min(...all.map(({ writtenMs }) => writtenMs)),
  };
}

/**
 * Uses the processor time of this process's descendants, divided by the cores: about the clock time on an idle machine.
 * The model has one thread, because waiting threads would also be counted.
 */
async function measureOnce(provider: Provider, request: ModelRequest, signal: AbortSignal): Promise<ModelSpeed> {
  const begun = await processorMs();
  let first: number | null = null;
  for await (const part of provider.stream(request, signal)) {
    if (part.type === 'text-delta') first ??= await processorMs();
    if (part.type !== 'ended') continue;
    const { usage, error } = part;
    const prompt = promptTokensOf(usage);
    if (first === null || usage.output < 8 || prompt === 0) {
      throw new Error(`${provider.id}/${request.model} could not be timed: ${error?.message ?? 'it said too little'}`);
    }
    const cores = availableParallelism();
    const writtenMs = ((await processorMs()) - first) / cores / (usage.output - 1);
    // The time to the first word covers the whole prompt and that word.
    return { readMs: ((first - begun) / cores - writtenMs) / prompt, writtenMs };
  }
  throw new Error(`${provider.id} gave no end`);
}

/**
 * About as long as a recipe's prompt. No request can reuse the cache of another, because they differ from the first
 * word on.
 */
function countingRequest(model: string, turn: number): ModelRequest {
  const lines = Array.from(
    { length: 30 },
    (_, line) => `item ${turn}-${line}: weight ${(line * 37 + turn * 101) % 997} g`,
  );
  const text = `List ${turn} of a warehouse.\n${lines.join('\n')}\nWrite its first ten lines again, unchanged.`;
  return plainRequest([textMessage('user', text)], {
    model,
    topP: 1,
    maxOutputTokens: 64,
    cacheKey: `speed ${turn}`,
  });
}

/**
 * The share of a prompt that a server with one slot still has cached from the call before: their common prefix. Counted
 * in characters, because such a server does not report tokens.
 */
export function keptShare(before: readonly Message[] | null, messages: readonly Message[]): number {
  if (before === null) return 0;
  const textOfConversation = (conversation: readonly Message[]): string => conversation.map(textOf).join('\n');
  const [left, right] = [textOfConversation(before), textOfConversation(messages)];
  let same = 0;
  while (same < right.length && left[same] === right[same]) same += 1;
  return right.length === 0 ? 0 : same / right.length;
}
