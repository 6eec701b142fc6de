import type { z } from 'zod';
import { scriptedSchema } from '@shared/settings/settings.ts';
import type { Message } from '@shared/models/model-messages.ts';
import { textOf } from '@shared/models/model-messages.ts';
import type { ModelInfo } from '@shared/models/model-info.ts';
import { sleep } from '../../lib/async/abort.ts';
import { memo } from '../../lib/memo.ts';
import type { ModelRequest, Provider, StreamPart } from './define.ts';
import { defineProvider } from './define.ts';
import { endedWith, estimateTokens } from './call/call-ended.ts';

type Settings = z.infer<typeof scriptedSchema>;

/** Plays back prepared answers in order. Deterministic, for tests, benchmarks of the agent and demonstrations. */
export default defineProvider({
  kind: 'scripted',
  label: 'Scripted answers',
  settings: scriptedSchema,
  secrets: [],
  create({ now }, { id, settings }): Provider {
    let next = 0;
    return {
      id,
      list: async () => [modelInfo(id, settings)],
      resolve: async (name) => (name === 'script' ? modelInfo(id, settings) : null),
      countTokens: async (request) => countRequest(request),
      dispose: async () => {},
      stream(request, signal) {
        const index = settings.repeat && settings.replies.length > 0 ? next % settings.replies.length : next;
        next += 1;
        return play(request, { reply: settings.replies[index], number: next, now }, signal);
      },
    };
  },
});

function modelInfo(id: string, settings: Settings): ModelInfo {
  return {
    id: `${id}/script`,
    provider: id,
    name: 'script',
    label: 'Scripted answers',
    where: settings.where ?? 'local',
    contextTokens: 32_768,
    parametersB: null,
    capabilities: {
      tools: settings.tools,
      grammar: false,
      prefill: true,
      infill: false,
      countTokens: true,
      images: settings.images === true,
    },
    price: settings.price ?? { input: 0, output: 0, source: 'local', date: '2026-11-21' },
    strategies: settings.strategies,
  };
}

interface Scripted {
  readonly reply: Settings['replies'][number] | undefined;
  readonly number: number;
  readonly now: () => number;
}

async function* play(
  request: ModelRequest,
  { reply, number, now }: Scripted,
  signal: AbortSignal,
): AsyncIterable<StreamPart> {
  const startedAt = now();
  const fail = (message: string): StreamPart =>
    endedWith({ code: 'internal', message, retryable: false }, startedAt, now());
  if (reply === undefined) {
    yield fail(`The script has no answer number ${number}.`);
    return;
  }
  // The abort is handled below and becomes an `ended` part.
  if (reply.delayMs !== undefined) await sleep(reply.delayMs, signal).catch(() => undefined);
  if (signal.aborted) {
    yield endedWith(null, startedAt, now());
    return;
  }
  if (reply.error !== undefined) {
    yield fail(reply.error);
    return;
  }
  const calls = reply.toolCalls ?? [];
  if (reply.text !== undefined) yield { type: 'text-delta', text: reply.text };
  for (const [position, call] of calls.entries()) {
    yield {
      type: 'tool-call',
      call: { type: 'tool-call', id: `s${number}-${position + 1}`, name: call.name, input: call.input },
    };
  }
  const prompt = countRequest(request);
  const output = estimateTokens((reply.text ?? '') + JSON.stringify(calls));
  yield {
    type: 'ended',
    stopReason: calls.length > 0 ? 'tool-calls' : 'stop',
    usage: { freshInput: prompt, cacheRead: 0, cacheWrite: 0, output, reasoning: 0, estimated: true },
    evaluatedTokens: prompt,
    timings: { queuedMs: 0, prefillMs: 0, decodeMs: 0, totalMs: Math.max(0, now() - startedAt) },
    error: null,
  };
}

function countRequest(request: ModelRequest): number {
  return request.messages.reduce((sum, message) => sum + countMessage(message), 0);
}

const countMessage = memo((message: Message) => estimateTokens(textOf(message) + toolText(message)));

function toolText(message: Message): string {
  return message.parts
    .map((part) =>
      part.type === 'tool-result' ? part.text : part.type === 'tool-call' ? JSON.stringify(part.input) : '',
    )
    .join('');
}
