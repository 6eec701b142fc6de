import { createHash } from 'node:crypto';
import { createServer } from 'node:http';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** How a fake Ollama differs from a correct one. Without habits, it behaves correctly. */
export interface OllamaHabits {
  version: string;
  /** The largest context that is really created, and whether `/api/ps` admits it. */
  madeTokens: number | null;
  tellsMade: boolean;
  /** `/api/ps` adds up the context of so many conversations. */
  slots: number;
  /** Instead of refusing a prompt that is too long, it answers from the end of it. */
  truncates: boolean;
  /** Forgets the oldest tokens while it writes, but reports that it read everything. */
  shifts: boolean;
  /** The share of the model on the card, for contexts above `spillsAbove`. */
  onCard: number;
  spillsAbove: number;
  /** Arrays of `/api/show` are null even when they were asked for. */
  nullArrays: boolean;
  /** The digest of the loaded file. It can differ from the listed one. */
  loadedDigest: string;
  /** Answers `models: null` instead of an empty list. */
  nullLists: boolean;
  template: string;
  capabilities: readonly string[];
  remoteHost: string | null;
  hangs: readonly string[];
  /** For these steps, ends the connection or the stream after half of the answer. */
  half: readonly string[];
  /** An error that is sent after the first piece of the answer. */
  errorInside: string | null;
  /** An error with status 500, before anything is loaded. */
  loadError: string | null;
  /** The largest context for which there is memory. */
  loadsUpTo: number;
  /** What it reports while it downloads a model. */
  pulls: readonly object[];
  /** Its models are never listed as loaded. */
  hidesLoaded: boolean;
  answer: readonly object[];
  tokensPerSecond: number;
}

export interface FakeOllama {
  readonly address: string;
  readonly habits: OllamaHabits;
  readonly requests: { readonly path: string; readonly body: Readonly<Record<string, unknown>> }[];
  readonly resident: Map<string, number>;
  /** Like hours of sleep: every connection is dead, and no model is loaded. */
  sleep(): void;
  close(): Promise<void>;
}

export const ollamaDigest = 'a'.repeat(64);
const modelBytes = 500_000_000;

export const goodHabits: OllamaHabits = {
  version: '0.17.4',
  madeTokens: null,
  tellsMade: true,
  slots: 1,
  truncates: false,
  shifts: false,
  onCard: 0,
  spillsAbove: 0,
  nullArrays: false,
  loadedDigest: ollamaDigest,
  nullLists: false,
  template: '{{ range .Messages }}{{ .Role }}{{ .Content }}{{ end }}',
  capabilities: ['completion', 'tools'],
  remoteHost: null,
  hangs: [],
  half: [],
  errorInside: null,
  loadError: null,
  loadsUpTo: Number.POSITIVE_INFINITY,
  pulls: [],
  hidesLoaded: false,
  answer: [
    { role: 'assistant', content: 'Hello ' },
    { role: 'assistant', content: 'there.' },
  ],
  tokensPerSecond: 50,
};

/** About four bytes a token, as in English text. */
export const fakeTokens = (text: string): number => Math.ceil(Buffer.byteLength(text, 'utf8') / 4);

/** Speaks the part of Ollama's API that Dewpoint uses, with one model `m:latest`. */
export async function startFakeOllama(habits: Partial<OllamaHabits> = {}): Promise<FakeOllama> {
  const requests: FakeOllama['requests'] = [];
  const resident = new Map<string, number>();
  const mine: OllamaHabits = { ...goodHabits, ...habits };
  const server = createServer(
    (request, response) => void respond({ habits: mine, requests, resident }, request, response),
  );
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address: AddressInfo | string | null = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  return {
    address: `http://127.0.0.1:${port}`,
    habits: mine,
    requests,
    resident,
    sleep: () => {
      server.closeAllConnections();
      resident.clear();
    },
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
}

type State = Pick<FakeOllama, 'habits' | 'requests' | 'resident'>;

async function respond(state: State, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { habits } = state;
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(Buffer.from(chunk));
  const path = request.url ?? '';
  const blob = /^\/api\/blobs\/sha256:(.+)$/.exec(path)?.[1];
  if (blob !== undefined) {
    state.requests.push({ path, body: {} });
    const isWhole = createHash('sha256').update(Buffer.concat(chunks)).digest('hex') === blob;
    return void response.writeHead(isWhole ? 201 : 400).end();
  }
  const text = Buffer.concat(chunks).toString('utf8');
  const parsed: unknown = text === '' ? {} : JSON.parse(text);
  const body = isRecord(parsed) ? parsed : {};
  state.requests.push({ path, body });
  const isLoad = path === '/api/chat' && Array.isArray(body.messages) && body.messages.length === 0;
  const step = isLoad ? 'load' : path;
  if (habits.hangs.includes(step)) return;
  const say = (value: unknown, status = 200): void => {
    const whole = JSON.stringify(value);
    response.writeHead(status, { 'content-type': 'application/json' });
    response.end(habits.half.includes(step) ? whole.slice(0, whole.length / 2) : whole);
  };
  switch (path) {
    case '/api/version':
      return say({ version: habits.version });
    case '/api/tags':
      return say({
        models: [{ name: 'm:latest', model: 'm:latest', digest: ollamaDigest, size: modelBytes, details: {} }],
      });
    case '/api/show':
      return body.model === 'm:latest' ? say(shown(habits, body.verbose === true)) : say({ error: 'not found' }, 404);
    case '/api/ps':
      return say({ models: residents(state) });
    case '/api/pull':
      return void response.end(habits.pulls.map((line) => `${JSON.stringify(line)}\n`).join(''));
    case '/api/create':
      return say({ status: 'success' });
    case '/api/delete':
      return request.method === 'DELETE' ? void response.end() : say({ error: 'method not allowed' }, 405);
    case '/api/chat':
      return isLoad ? load(state, body, say) : chat(state, body, response);
    default:
      return say({ error: 'unknown path' }, 404);
  }
}

function residents({ habits, resident }: State): unknown {
  const all = [...resident].map(([name, contextTokens]) => {
    const made = Math.min(contextTokens, habits.madeTokens ?? contextTokens);
    const size = modelBytes + contextTokens * 1000;
    const share = contextTokens > habits.spillsAbove ? habits.onCard : Math.ceil(habits.onCard);
    return {
      name,
      model: name,
      digest: habits.loadedDigest,
      size,
      size_vram: Math.round(size * share),
      context_length: (habits.tellsMade ? made : contextTokens) * habits.slots,
    };
  });
  return habits.hidesLoaded || (all.length === 0 && habits.nullLists) ? null : all;
}

function shown(habits: OllamaHabits, verbose: boolean): unknown {
  const hasArrays = verbose && !habits.nullArrays;
  return {
    template: habits.template,
    modelfile: '# Modelfile\nFROM /nonexistent/blobs/sha256-a\n',
    capabilities: habits.capabilities,
    details: { family: 'gemma3', parameter_size: '1.5B' },
    ...(habits.remoteHost === null ? {} : { remote_host: habits.remoteHost }),
    model_info: {
      'general.architecture': 'llama',
      'general.parameter_count': 1_500_000_000,
      'llama.block_count': 4,
      'llama.context_length': 32_768,
      'llama.embedding_length': 512,
      'llama.feed_forward_length': 1024,
      'llama.attention.head_count': 8,
      // One number for each layer, as some models have.
      'llama.attention.head_count_kv': hasArrays ? [2, 2, 2, 2] : null,
      'llama.vocab_size': 1000,
      'tokenizer.ggml.tokens': hasArrays ? ['<|im_start|>', '<|im_end|>', '<tool_call>', 'a'] : null,
    },
    tensors: [
      { name: 'token_embd.weight', type: 'F16', shape: [512, 1000] },
      { name: 'blk.0.ffn_up.weight', type: 'Q4_K', shape: [512, 1024] },
    ],
  };
}

function load(
  { habits, resident }: State,
  body: Readonly<Record<string, unknown>>,
  say: (value: unknown, status?: number) => void,
): void {
  const name = String(body.model);
  if (body.keep_alive === 0) {
    resident.delete(name);
    return say({ model: name, done: true, done_reason: 'unload' });
  }
  if (habits.loadError !== null) return say({ error: habits.loadError }, 500);
  if (numCtxOf(body) > habits.loadsUpTo) return say({ error: 'cudaMalloc failed: out of memory' }, 500);
  resident.set(name, numCtxOf(body));
  say({ model: name, message: { role: 'assistant', content: '' }, done: true, done_reason: 'load' });
}

function numCtxOf({ options }: Readonly<Record<string, unknown>>): number {
  return isRecord(options) && typeof options.num_ctx === 'number' ? options.num_ctx : 4096;
}

function chat({ habits, resident }: State, body: Readonly<Record<string, unknown>>, response: ServerResponse): void {
  const name = String(body.model);
  const context = Math.min(resident.get(name) ?? numCtxOf(body), habits.madeTokens ?? Number.POSITIVE_INFINITY);
  const whole = fakeTokens(JSON.stringify(body.messages)) + 10;
  const json = { 'content-type': 'application/json' };
  if (whole > context && body.truncate === false && !habits.truncates) {
    response.writeHead(400, json).end(JSON.stringify({ error: 'the input length exceeds the context length' }));
    return;
  }
  response.writeHead(200, { 'content-type': 'application/x-ndjson' });
  const line = (value: object): string => `${JSON.stringify({ model: name, ...value })}\n`;
  const pieces = habits.answer.map((message) =>
    line({ message, done: false, ...(body.logprobs === true ? { logprobs: [{ token: 'x', logprob: -0.5 }] } : {}) }),
  );
  if (habits.hangs.includes('answer')) return void response.write(pieces[0] ?? '');
  if (habits.half.includes('answer')) return void response.end((pieces[0] ?? '') + (pieces[1] ?? '').slice(0, 20));
  if (habits.errorInside !== null) return void response.end((pieces[0] ?? '') + line({ error: habits.errorInside }));
  const answered = habits.shifts ? context : 40;
  const end = line({
    message: { role: 'assistant', content: '' },
    done: true,
    done_reason: 'stop',
    prompt_eval_count: Math.min(whole, context),
    prompt_eval_duration: 100_000_000,
    eval_count: answered,
    eval_duration: (answered / habits.tokensPerSecond) * 1e9,
  });
  response.end(pieces.join('') + end);
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
