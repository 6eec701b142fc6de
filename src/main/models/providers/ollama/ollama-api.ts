import { openAsBlob } from 'node:fs';
import type { ChatRequest, CreateRequest, Ollama } from 'ollama/browser';
import { z } from 'zod';
import { PermanentError } from '../../../lib/net/permanent-error.ts';
import { rootCause } from '../../../lib/net/root-cause.ts';
import { childAbort } from '../../../lib/async/child-abort.ts';
import { addressBelow, baseAddress } from '../../../lib/net/base-address.ts';
import { mostListed } from '../api/api-models.ts';
import { messageIn } from '../api/get-json.ts';
import { RefusedOnTheWay } from '../api/service-fetch.ts';
import type { ProviderError } from '../define.ts';
import { errorOfOllama, NotThere, OllamaError, throwInside } from './ollama-errors.ts';
import { askingClient, streamedValues, type Send } from './ollama-transport.ts';
import { isRecord } from '@shared/unknown-value.ts';

/** What a server of this version can do. */
export interface ServerVersion {
  readonly text: string;
  /** The server can refuse a prompt that does not fit, instead of dropping its beginning. */
  readonly refusesLongPrompts: boolean;
  /** `/api/ps` reports the real context size. */
  readonly reportsContext: boolean;
  readonly givesLogprobs: boolean;
  /** A sentence for the user about missing abilities. Null: nothing that Dewpoint uses is missing. */
  readonly complaint: string | null;
}

/** The first version with each ability: `[minor, patch]` of 0.x. */
const since = { tools: [8, 0], context: [11, 0], refusal: [12, 6], logprobs: [12, 11] } as const;

/**
 * A version that cannot be read counts as new (builds from source report `0.0.0`). Later checks find out what is
 * missing.
 */
export function judgeVersion(text: string): ServerVersion {
  const numbers = /^v?(\d+)\.(\d+)\.(\d+)/.exec(text.trim());
  const [major, minor, patch] = numbers === null ? [0, 0, 0] : numbers.slice(1, 4).map(Number);
  const isUnknown = numbers === null || (major === 0 && minor === 0 && patch === 0);
  const has = ([wantedMinor, wantedPatch]: readonly [number, number]): boolean =>
    isUnknown ||
    (major ?? 0) > 0 ||
    (minor ?? 0) > wantedMinor ||
    ((minor ?? 0) === wantedMinor && (patch ?? 0) >= wantedPatch);
  const refusesLongPrompts = has(since.refusal);
  return {
    text,
    refusesLongPrompts,
    reportsContext: has(since.context),
    givesLogprobs: has(since.logprobs),
    complaint: !has(since.tools)
      ? `Ollama ${text} is too old to stream tool calls. Update it.`
      : refusesLongPrompts
        ? null
        : `Ollama ${text} drops the beginning of a prompt that is too long, and does not say so. Dewpoint detects and refuses such answers; a newer Ollama refuses them itself.`,
  };
}

const usual = 'http://127.0.0.1:11434';

/**
 * The address of the server: from the settings, else from `OLLAMA_HOST` in any form that Ollama accepts (`HOST`,
 * `:PORT`, `HOST:PORT`, a whole address), else the default. An address that means "all interfaces" becomes this
 * machine.
 */
export function ollamaAddress(baseUrl: string | undefined, host: string | undefined): string {
  if (baseUrl !== undefined) return withoutEnd(baseUrl);
  const said = (host ?? '').trim().replace(/^["']|["']$/g, '');
  if (said === '') return usual;
  const hasScheme = /^https?:\/\//i.test(said);
  const whole = hasScheme ? said : `http://${said.startsWith(':') ? `127.0.0.1${said}` : said}`;
  const url = URL.parse(whole);
  if (url === null) return usual;
  if (url.hostname === '0.0.0.0' || url.hostname === '[::]') url.hostname = '127.0.0.1';
  // As in Ollama, a whole address gets the default port of its scheme, and a bare host gets Ollama's port.
  if (url.port === '' && !hasScheme && !said.endsWith(':80')) url.port = '11434';
  return withoutEnd(url.href);
}

/** Ends that people paste go: those of Ollama's paths, and of those that speak OpenAI's language. */
function withoutEnd(text: string): string {
  const { base, query } = baseAddress(text);
  const own = base.replace(/\/(?:v1|api(?:\/\w{1,20})?)$/u, '');
  const more = new URLSearchParams(query).toString();
  return more === '' ? own : `${own}?${more}`;
}

/** Without what nobody else should read. */
export function shownAddress(address: string): string {
  const url = URL.parse(address);
  return url === null ? address : `${url.origin}${url.pathname}`.replace(/\/$/u, '');
}

const count = z.number().int().nonnegative().nullish().catch(null);
const text = z.string().nullish().catch(null);
const details = z.object({ family: text, parameter_size: text, quantization_level: text }).nullish().catch(null);

const listedSchema = z.object({
  name: z.string(),
  digest: text,
  size: count,
  details,
  remote_host: text,
  remote_model: text,
});
/** A model in the server's store. */
export type ListedByOllama = z.infer<typeof listedSchema>;

const residentSchema = z.object({
  name: z.string(),
  digest: text,
  size: count,
  size_vram: count,
  context_length: count,
});
/** A model that is loaded now. */
export type ResidentModel = z.infer<typeof residentSchema>;

const shownSchema = z.object({
  template: text,
  modelfile: text,
  parameters: text,
  capabilities: z.array(z.string()).nullish().catch(null),
  details,
  remote_host: text,
  model_info: z.record(z.string(), z.unknown()).nullish().catch(null),
  tensors: z
    .array(z.object({ name: z.string(), type: z.string(), shape: z.array(z.number()) }))
    .nullish()
    .catch(null),
  license: z
    .union([z.string(), z.array(z.string())])
    .nullish()
    .catch(null),
});
export type ShownModel = z.infer<typeof shownSchema>;

// Some servers send null for an empty list.
const listOf = <T>(item: z.ZodType<T>): z.ZodType<readonly T[]> =>
  z.object({ models: z.array(z.unknown()).nullish() }).transform(({ models }) =>
    (models ?? []).slice(0, mostListed).flatMap((one): T[] => {
      const parsed = item.safeParse(one);
      return parsed.success ? [parsed.data] : [];
    }),
  );

/** Ollama's own API. Every call throws `OllamaError`, or the signal's reason after an abort. */
export interface OllamaApi {
  readonly address: string;
  readonly version: (signal: AbortSignal) => Promise<string>;
  readonly list: (signal: AbortSignal) => Promise<readonly ListedByOllama[]>;
  readonly resident: (signal: AbortSignal) => Promise<readonly ResidentModel[]>;
  /** With `verbose`, the answer has every array, including the vocabulary. That is megabytes. */
  readonly show: (name: string, verbose: boolean, signal: AbortSignal) => Promise<ShownModel>;
  /** Loads a model. Resolves when it is in memory. */
  readonly load: (name: string, body: Readonly<Record<string, unknown>>, signal: AbortSignal) => Promise<void>;
  readonly unload: (name: string, signal: AbortSignal) => Promise<void>;
  /** Yields what the server reports while it downloads a model, one value a line. */
  readonly pull: (name: string, signal: AbortSignal) => Promise<AsyncIterable<unknown>>;
  /** Uploads a file to the server's store under its digest. */
  readonly upload: (path: string, sha256: string, signal: AbortSignal) => Promise<void>;
  readonly create: (body: Readonly<Record<string, unknown>>, signal: AbortSignal) => Promise<void>;
  /** Removes a model from the server's store. */
  readonly remove: (name: string, signal: AbortSignal) => Promise<void>;
  /** The parts of an answer as they stream. */
  readonly chat: (body: Readonly<Record<string, unknown>>, signal: AbortSignal) => Promise<AsyncIterable<unknown>>;
}

export interface OllamaApiOptions {
  readonly address: string;
  readonly fetch: typeof fetch;
  /** Time limits for a question and for a load, in milliseconds. */
  readonly askMs: number;
  readonly loadMs: number;
  /**
   * Called when nothing answers at the address. Returns true if it started the server, so that a retry makes sense.
   * Else it returns a sentence for the user, or null.
   */
  readonly revive?: (signal: AbortSignal) => Promise<true | string | null>;
}

/** Our requests have fields that the package's types lack: JSON Schemas of tools, and options of newer servers. */
const chatRequest = z.custom<ChatRequest>((value) => isRecord(value) && typeof value['model'] === 'string');
const createRequest = z.custom<CreateRequest>((value) => isRecord(value) && typeof value['model'] === 'string');

export function createOllamaApi(options: OllamaApiOptions): OllamaApi {
  const { fetch: get, askMs, loadMs } = options;
  const address = shownAddress(options.address);
  const sendWith =
    (signal: AbortSignal): Send =>
    async (path, init) => {
      const url = addressBelow(options.address, path);
      const response = await reach(get, address, { url, init: { ...init, signal } });
      if (response.ok) return response;
      throw new OllamaError(errorOfOllama({ status: response.status, message: messageIn(await response.text()) }));
    };
  const streamed = (
    signal: AbortSignal,
    start: (client: Ollama) => Promise<AsyncIterable<unknown>>,
  ): Promise<AsyncIterable<unknown>> =>
    revived(options, signal, () => streamedValues({ send: sendWith(signal), check: throwInside }, start));
  const ask = async <T>(path: string, schema: z.ZodType<T>, { call, signal, limitMs }: Question): Promise<T> =>
    revived(options, signal, () =>
      within(
        { limitMs: limitMs ?? askMs, isLoad: limitMs === loadMs },
        signal,
        `Ollama at ${address} did not answer ${path}`,
        async (inner) => {
          const client = askingClient(sendWith(inner), (said) => read(said, path));
          return formed(await call(client), path, schema);
        },
      ),
    );
  return {
    address,
    version: async (signal) =>
      (await ask('/api/version', z.object({ version: z.string() }), { call: (client) => client.version(), signal }))
        .version,
    list: (signal) => ask('/api/tags', listOf(listedSchema), { call: (client) => client.list(), signal }),
    resident: (signal) => ask('/api/ps', listOf(residentSchema), { call: (client) => client.ps(), signal }),
    show: (name, verbose, signal) => {
      const request = { model: name, verbose };
      return ask('/api/show', shownSchema, { call: (client) => client.show(request), signal, limitMs: askMs * 6 });
    },
    load: async (name, body, signal) => {
      const whole = { ...chatRequest.parse({ ...body, model: name, messages: [] }), stream: false } as const;
      const call = (client: Ollama): Promise<unknown> => client.chat(whole);
      await ask('/api/chat', z.object({ done: z.literal(true) }), { call, signal, limitMs: loadMs });
    },
    unload: async (name, signal) => {
      const call = (client: Ollama): Promise<unknown> =>
        client.chat({ model: name, messages: [], stream: false, keep_alive: 0 });
      await ask('/api/chat', z.unknown(), { call, signal });
    },
    create: async (body, signal) => {
      const call = (client: Ollama): Promise<unknown> => client.create({ ...createRequest.parse(body), stream: false });
      await ask('/api/create', z.unknown(), { call, signal, limitMs: loadMs });
    },
    upload: async (path, sha256, signal) => {
      const body = await openAsBlob(path);
      const url = `/api/blobs/sha256:${sha256}`;
      const what = `Ollama at ${address} did not take ${path}`;
      await within({ limitMs: loadMs, isLoad: true }, signal, what, (inner) =>
        sendWith(inner)(url, { method: 'POST', body }),
      );
    },
    remove: async (name, signal) => {
      const call = (client: Ollama): Promise<unknown> => client.delete({ model: name });
      await ask('/api/delete', z.unknown(), { call, signal });
    },
    pull: (name, signal) => streamed(signal, (client) => client.pull({ model: name, stream: true })),
    chat: (body, signal) => streamed(signal, (client) => client.chat({ ...chatRequest.parse(body), stream: true })),
  };
}

/** `address`: for people. */
async function reach(
  get: typeof fetch,
  address: string,
  { url, init }: { readonly url: string; readonly init: RequestInit & { readonly signal: AbortSignal } },
): Promise<Response> {
  const once = (): Promise<Response> => get(url, { ...init, headers: { 'content-type': 'application/json' } });
  try {
    return await once().catch((error: unknown) => {
      if (isStale(error) && !init.signal.aborted) return once();
      throw error;
    });
  } catch (error) {
    if (init.signal.aborted) throw error;
    // Something else answered, so there is nothing to start.
    const root = error instanceof Error ? rootCause(error) : null;
    if (root instanceof RefusedOnTheWay) throw new OllamaError(root.error);
    if (root instanceof PermanentError)
      throw new OllamaError({ code: 'network', message: root.message, retryable: false });
    throw new NotThere(address, error, null);
  }
}

/** Whether a kept connection was closed by the other side, because the server restarted or this machine slept. */
function isStale(error: unknown): boolean {
  const cause = error instanceof Error ? error.cause : null;
  if (typeof cause !== 'object' || cause === null || !('code' in cause)) return false;
  return cause.code === 'UND_ERR_SOCKET' || cause.code === 'ECONNRESET' || cause.code === 'EPIPE';
}

interface Question {
  readonly call: (client: Ollama) => Promise<unknown>;
  readonly signal: AbortSignal;
  readonly limitMs?: number;
}

function read(said: string, path: string): unknown {
  let value: unknown;
  try {
    value = JSON.parse(said);
  } catch {
    throw new OllamaError(cut(`Ollama's answer to ${path} was cut off, or is not JSON.`));
  }
  throwInside(value);
  return value;
}

function formed<T>(value: unknown, path: string, schema: z.ZodType<T>): T {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  throw new OllamaError(cut(`Ollama's answer to ${path} has an unknown form.`));
}

/** Tries once more if the server was started. The start has its own time limit. */
async function revived<T>(
  { address, revive }: Pick<OllamaApiOptions, 'address' | 'revive'>,
  signal: AbortSignal,
  work: () => Promise<T>,
): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof NotThere) || revive === undefined) throw error;
    const said = await revive(signal);
    if (said === true) return work();
    throw said === null ? error : new NotThere(shownAddress(address), error.cause, said);
  }
}

function cut(message: string): ProviderError {
  return { code: 'cut', message, retryable: true };
}

/** Limits the time that a hanging server can take. */
async function within<T>(
  { limitMs, isLoad }: { readonly limitMs: number; readonly isLoad: boolean },
  signal: AbortSignal,
  what: string,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const child = childAbort(signal, { ms: limitMs });
  try {
    return await work(child.signal);
  } catch (error) {
    if (!child.signal.aborted || signal.aborted) throw error;
    const seconds = Math.ceil(limitMs / 1000);
    const message = `${what} within ${seconds} seconds.`;
    // A server that still loads a model would start over.
    const more = isLoad
      ? ` It may still be loading. To wait longer, set firstWordSeconds of this provider to ${Math.min(3600, seconds * 3)}.`
      : '';
    throw new OllamaError({ code: 'stalled', message: `${message}${more}`, retryable: !isLoad });
  } finally {
    child.release();
  }
}
