import type { EndpointCall, EndpointFailure, EndpointPush } from '@shared/contract/endpoint-contract.ts';
import { textMessage } from '@shared/models/model-messages.ts';
import { withEitherSignal } from '../lib/async/child-abort.ts';
import { sha256Of } from '../lib/sha256.ts';
import { answerClient, type AnswerOptions } from './answer-client.ts';
import type { KnownClient } from './client-keys.ts';
import type { ClientLogs } from './client-logs.ts';

/** What a model did with a question in words, and with one that needs a tool. */
export type TestAnswer =
  | {
      readonly ok: true;
      readonly answerSeconds: number;
      /** Null: it called no tool. */
      readonly callSeconds: number | null;
      /** Null: unknown. */
      readonly costUsd: number | null;
    }
  | { readonly ok: false; readonly failure: EndpointFailure };

export interface TestQuestions {
  /** Asks this model, wherever it runs. The person has asked for it. Throws `cancelled`. */
  readonly ask: (model: string, signal: AbortSignal) => Promise<TestAnswer>;
  readonly running: () => number;
  readonly end: () => Promise<void>;
}

/** The most tokens that a test question has, and that its answer may have. There are two. */
export const testQuestionSize = { count: 2, promptTokens: 400, outputTokens: 800 } as const;

/** Costs of these calls are listed under this name. No program can have it: it has no key. */
const client: KnownClient = {
  name: 'set-up',
  sha256: sha256Of('set-up'),
  mayLeave: true,
  createdAt: 0,
  lastUsedAt: null,
  logId: null,
};

const toolName = 'add_numbers';
const adding = {
  name: toolName,
  description: 'Adds two numbers and returns the sum.',
  inputSchema: {
    type: 'object',
    properties: { a: { type: 'number' }, b: { type: 'number' } },
    required: ['a', 'b'],
  },
};

export function createTestQuestions(options: AnswerOptions & { readonly logs: ClientLogs }): TestQuestions {
  const stop = new AbortController();
  const open = new Set<Promise<unknown>>();
  const ask: TestQuestions['ask'] = async (model, signal) => {
    const inWords = await one(options, callOf(model, 'Say hello in one short sentence.', false), signal);
    if (!inWords.ok) return inWords;
    const withTool = await one(options, callOf(model, `Add 17 and 25 with the tool ${toolName}.`, true), signal);
    if (!withTool.ok && withTool.failure.code !== 'bad-request') return withTool;
    const callSeconds = withTool.ok && withTool.hasCalled ? withTool.seconds : null;
    const costs = [inWords, withTool].map((answer) => (answer.ok ? answer.costUsd : 0));
    const costUsd = costs.reduce((sum, cost) => (sum === null || cost === null ? null : sum + cost), 0);
    return { ok: true, answerSeconds: inWords.seconds, callSeconds, costUsd };
  };
  return {
    ask: async (model, signal) => {
      const work = withEitherSignal(stop.signal, signal, (either) => ask(model, either));
      open.add(work);
      return work.finally(() => open.delete(work));
    },
    running: () => open.size,
    end: async () => {
      stop.abort();
      await Promise.allSettled(open);
    },
  };
}

type OneAnswer =
  | { readonly ok: true; readonly seconds: number; readonly hasCalled: boolean; readonly costUsd: number | null }
  | { readonly ok: false; readonly failure: EndpointFailure };

async function one(
  options: AnswerOptions & { readonly logs: ClientLogs },
  call: EndpointCall,
  signal: AbortSignal,
): Promise<OneAnswer> {
  const startedAt = performance.now();
  let hasCalled = false;
  let last: EndpointPush | null = null;
  const push = (next: EndpointPush): void => {
    if (next.type === 'call' && next.name === toolName) hasCalled = true;
    last = next;
  };
  await answerClient(options, { client, log: await options.logs.of(client), call, push, signal });
  return answerOf(last, { hasCalled, seconds: (performance.now() - startedAt) / 1000 });
}

function answerOf(
  last: EndpointPush | null,
  { hasCalled, seconds }: { readonly hasCalled: boolean; readonly seconds: number },
): OneAnswer {
  if (last?.type === 'ended') return { ok: true, seconds, hasCalled, costUsd: last.costUsd };
  if (last?.type !== 'failed') return { ok: false, failure: { code: 'failed', message: 'It gave no answer.' } };
  return { ok: false, failure: { code: last.code, message: last.message } };
}

function callOf(model: string, text: string, needsTool: boolean): EndpointCall {
  return {
    model,
    messages: [textMessage('user', text)],
    tools: needsTool ? [adding] : [],
    toolChoice: 'auto',
    schema: null,
    stop: [],
    temperature: null,
    topP: null,
    seed: null,
    maxOutputTokens: testQuestionSize.outputTokens,
    effort: null,
  };
}
