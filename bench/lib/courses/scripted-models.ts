import { createServer } from 'node:http';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { setTimeout as wait } from 'node:timers/promises';
import { z } from 'zod';
import { frame } from '../../../tests/fakes/chat-server.ts';

/** A request as it reached the server. */
export interface Asked {
  readonly model: string;
  /** All messages, each after its role in brackets. */
  readonly text: string;
  /** The last message alone. */
  readonly last: string;
  readonly tools: readonly string[];
  readonly maxTokens: number | null;
  /** The number of earlier requests to this model. */
  readonly index: number;
}

/** What a scripted model does with a request. */
export interface Answer {
  readonly text?: string;
  readonly calls?: readonly { readonly name: string; readonly input: unknown }[];
  /** An error of the server in place of an answer. */
  readonly status?: number;
  /** The connection is cut after the text. */
  readonly isCut?: boolean;
  readonly finish?: 'length';
  readonly waitMs?: number;
  /** Tokens of the answer; else estimated from its length. */
  readonly outputTokens?: number;
  /** What the person does before the answer comes, by the name of the move. */
  readonly meanwhile?: string;
}

/** Answers in order, or a function that looks at the request. After the last answer there is nothing more to say. */
export type Script = readonly (Answer | ((asked: Asked) => Answer))[] | ((asked: Asked) => Answer);

export interface ScriptedModels {
  readonly baseUrl: string;
  readonly asked: readonly Asked[];
  close(): Promise<void>;
}

const requestSchema = z.object({
  model: z.string(),
  messages: z.array(
    z.object({
      role: z.string(),
      content: z.union([z.string(), z.array(z.object({ text: z.string().optional() }).loose())]).nullish(),
      tool_calls: z.array(z.object({ function: z.object({ name: z.string(), arguments: z.string() }) })).optional(),
    }),
  ),
  tools: z.array(z.object({ function: z.object({ name: z.string() }) })).optional(),
  max_tokens: z.number().nullish(),
  max_completion_tokens: z.number().nullish(),
});
type Message = z.infer<typeof requestSchema>['messages'][number];

/** The answer to a request that no script has foreseen. */
export const unforeseen = 'The script has no answer to this.';

/** A server that speaks Chat Completions for all models of a course, each by its script. */
export async function startScriptedModels(
  scripts: Readonly<Record<string, Script>>,
  meanwhile: (move: string) => Promise<void>,
): Promise<ScriptedModels> {
  const asked: Asked[] = [];
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    if (request.method === 'GET') {
      const data = Object.keys(scripts).map((id) => ({ id, object: 'model' }));
      return void response.writeHead(200, json).end(JSON.stringify({ object: 'list', data }));
    }
    const body = await textOf(request);
    const one = read(body, asked);
    asked.push(one);
    const said = answerTo(scripts[one.model] ?? [], one);
    if (said.meanwhile !== undefined) await meanwhile(said.meanwhile);
    if (said.waitMs !== undefined) await wait(said.waitMs);
    send(response, said, {
      id: `${one.model}-${one.index}`,
      promptTokens: Math.ceil(body.length / 4),
      mostTokens: one.maxTokens ?? Infinity,
    });
  };
  const server = createServer((request, response) => void answer(request, response));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  return {
    baseUrl: `http://127.0.0.1:${typeof address === 'object' && address !== null ? address.port : 0}/v1`,
    asked,
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
}

const json = { 'content-type': 'application/json' };

async function textOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(Buffer.from(chunk));
  return Buffer.concat(chunks).toString('utf8');
}

function read(body: string, before: readonly Asked[]): Asked {
  const request = requestSchema.parse(JSON.parse(body));
  const messages = request.messages.map((message) => `[${message.role}] ${wordsOf(message)}`);
  return {
    model: request.model,
    text: messages.join('\n'),
    last: messages.at(-1) ?? '',
    tools: (request.tools ?? []).map(({ function: { name } }) => name),
    maxTokens: request.max_completion_tokens ?? request.max_tokens ?? null,
    index: before.filter(({ model }) => model === request.model).length,
  };
}

function wordsOf({ content, tool_calls: calls = [] }: Message): string {
  const text = typeof content === 'string' ? content : (content ?? []).map((part) => part.text ?? '').join('\n');
  return [text, ...calls.map((call) => `${call.function.name}(${call.function.arguments})`)].join('\n');
}

function answerTo(script: Script, asked: Asked): Answer {
  const step = typeof script === 'function' ? script : script[asked.index];
  return typeof step === 'function' ? step(asked) : (step ?? { text: unforeseen });
}

interface Sending {
  readonly id: string;
  readonly promptTokens: number;
  readonly mostTokens: number;
}

function send(response: ServerResponse, answer: Answer, { id, promptTokens: prompt, mostTokens }: Sending): void {
  if (answer.status !== undefined) {
    response.writeHead(answer.status, json);
    response.end(JSON.stringify({ error: { message: `status ${answer.status}` } }));
    return;
  }
  const { text = '', calls = [] } = answer;
  const base = { id, object: 'chat.completion.chunk', created: 1, model: 'm' };
  const delta = (value: unknown, finish: string | null = null): string =>
    frame({ ...base, choices: [{ index: 0, delta: value, finish_reason: finish }] });
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  if (text !== '') response.write(delta({ role: 'assistant', content: text }));
  if (answer.isCut === true) return void setTimeout(() => response.socket?.destroy(), 20);
  for (const [index, { name, input }] of calls.entries()) {
    const call = { name, arguments: typeof input === 'string' ? input : JSON.stringify(input) };
    response.write(delta({ tool_calls: [{ index, id: `${id}-${index}`, type: 'function', function: call }] }));
  }
  response.write(delta({}, answer.finish ?? (calls.length > 0 ? 'tool_calls' : 'stop')));
  const length = answer.outputTokens ?? Math.ceil((text.length + JSON.stringify(calls).length) / 4);
  const output = Math.min(mostTokens, length);
  const usage = { prompt_tokens: prompt, completion_tokens: output, total_tokens: prompt + output };
  response.end(`${frame({ ...base, choices: [], usage })}data: [DONE]\n\n`);
}
