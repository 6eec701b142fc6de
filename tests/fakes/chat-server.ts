import { createServer } from 'node:http';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** How the next request to the server is answered. */
export type Behavior =
  | {
      readonly type: 'status';
      readonly status: number;
      readonly headers?: Record<string, string>;
      readonly body?: string;
    }
  /** Sends these bytes of a stream, after `until` resolves if it is given. Then ends, cuts the connection, or hangs. */
  | {
      readonly type: 'stream';
      readonly body: string;
      readonly after: 'end' | 'cut' | 'hang';
      readonly until?: Promise<unknown>;
    }
  /** Sends these bytes of a stream, then `rest` as soon as it resolves, and hangs. */
  | { readonly type: 'held'; readonly body: string; readonly rest: Promise<string> };

export interface ChatServer {
  readonly baseUrl: string;
  /** Each behavior answers one request. The last one answers all that follow. */
  behave(...behaviors: readonly [Behavior, ...Behavior[]]): void;
  readonly requests: unknown[];
  close(): Promise<void>;
}

export const frame = (data: unknown): string => `data: ${JSON.stringify(data)}\n\n`;

/** One text delta, one whole tool call in pieces, a finish reason and the usage. */
export function toolCallStream(): string {
  const delta = (value: unknown, finish: string | null = null): string =>
    frame({
      id: 'x',
      object: 'chat.completion.chunk',
      created: 1,
      model: 'm',
      choices: [{ index: 0, delta: value, finish_reason: finish }],
    });
  return [
    delta({ role: 'assistant', content: 'I look. ' }),
    delta({ tool_calls: [{ index: 0, id: 'c1', type: 'function', function: { name: 'read_file', arguments: '' } }] }),
    delta({ tool_calls: [{ index: 0, function: { arguments: '{"path":' } }] }),
    delta({ tool_calls: [{ index: 0, function: { arguments: '"a.py"}' } }] }),
    delta({}, 'tool_calls'),
    frame({
      id: 'x',
      object: 'chat.completion.chunk',
      created: 1,
      model: 'm',
      choices: [],
      usage: {
        prompt_tokens: 100,
        completion_tokens: 7,
        total_tokens: 107,
        prompt_tokens_details: { cached_tokens: 60 },
      },
    }),
    'data: [DONE]\n\n',
  ].join('');
}

/** A Chat Completions server that can cut, stall and refuse at every point. */
export async function startChatServer(wantedPort = 0): Promise<ChatServer> {
  let behaviors: readonly Behavior[] = [{ type: 'stream', body: toolCallStream(), after: 'end' }];
  const next = (): Behavior => {
    const [first, ...others] = behaviors;
    if (others.length > 0) behaviors = others;
    return first ?? { type: 'status', status: 500 };
  };
  const requests: unknown[] = [];
  const server = createServer((request, response) => {
    void answer(request, response, next, requests);
  });
  await new Promise<void>((resolve) => server.listen(wantedPort, '127.0.0.1', resolve));
  const address: AddressInfo | string | null = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  return {
    baseUrl: `http://127.0.0.1:${port}/v1`,
    behave: (...all) => {
      behaviors = all;
    },
    requests,
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
}

async function answer(
  request: IncomingMessage,
  response: ServerResponse,
  next: () => Behavior,
  requests: unknown[],
): Promise<void> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(Buffer.from(chunk));
  if (request.method === 'GET') {
    response
      .writeHead(200, { 'content-type': 'application/json' })
      .end(JSON.stringify({ object: 'list', data: [{ id: 'm', object: 'model' }] }));
    return;
  }
  requests.push(JSON.parse(Buffer.concat(chunks).toString('utf8')));
  const behavior = next();
  if (behavior.type === 'status') {
    response.writeHead(behavior.status, { 'content-type': 'application/json', ...behavior.headers });
    response.end(behavior.body ?? JSON.stringify({ error: { message: `status ${behavior.status}` } }));
    return;
  }
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  response.flushHeaders();
  if (behavior.type === 'held') {
    response.write(behavior.body);
    response.write(await behavior.rest);
    return;
  }
  await behavior.until;
  response.write(behavior.body, () => {
    if (behavior.after === 'end') response.end();
    if (behavior.after === 'cut') response.socket?.destroy();
  });
}
