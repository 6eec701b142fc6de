import { z } from 'zod';
import { messageOf } from '@shared/errors.ts';
import { builtInProviders, type ProviderSettings, type Settings } from '@shared/settings/settings.ts';
import { childAbort } from '../lib/async/child-abort.ts';
import { addressBelow } from '../lib/net/base-address.ts';
import { createNetFetch } from '../lib/net/net-fetch.ts';
import { rootCause } from '../lib/net/root-cause.ts';
import { isThisMachine } from '../lib/net/this-machine.ts';
import { sha256Of } from '../lib/sha256.ts';
import { messageIn } from './providers/api/get-json.ts';
import { createServiceFetch } from './providers/api/service-fetch.ts';
import { chatPreset } from './providers/chat-completions/chat-presets.ts';
import { ollamaAddress, shownAddress } from './providers/ollama/ollama-api.ts';
import type { ServedVectors, TextVectorsOptions } from './text-vectors.ts';

export interface ServedVectorsOptions {
  readonly fetch: typeof fetch;
  /** The settings of a provider; null for an unknown name. */
  readonly providerSettings: (name: string) => ProviderSettings | null;
  /** The environment variable `OLLAMA_HOST`. */
  readonly ollamaHost?: string | undefined;
  /** How long a server may take to answer. */
  readonly limitMs?: number;
}

interface Server {
  readonly id: string;
  readonly kind: 'ollama' | 'openai';
  readonly address: string;
  readonly name: string;
  readonly fetch: typeof fetch;
  readonly limitMs: number;
}

interface FoundServer extends Server {
  /** How many numbers each of its vectors has. */
  readonly length: number;
}

/** A server may load the model first. */
const usualLimitMs = 120_000;
const mostAnswerBytes = 32 * 1024 * 1024;
const mostNumbers = 16_384;
/** Which text this is does not matter: it says how many numbers the vectors of a model have. */
const probe = 'search';
/** A text that is too long for the model is cut in half so many times. */
const mostCuts = 4;

interface ChosenBy {
  readonly settings: { readonly current: () => Settings };
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** The embedding model that the settings choose, by a server of this machine too. Only addresses in them are asked. */
export function chosenVectors({ settings, env }: ChosenBy): Required<Pick<TextVectorsOptions, 'chosen' | 'served'>> {
  const now = (): Settings => settings.current();
  const served = createServedVectors({
    fetch: createNetFetch(() => now().connection, env),
    providerSettings: (name) => now().providers[name] ?? builtInProviders[name] ?? null,
    ollamaHost: env.OLLAMA_HOST,
  });
  return { chosen: () => now().searchModel, served };
}

export function createServedVectors(options: ServedVectorsOptions): ServedVectors {
  const known = new Map<string, FoundServer>();
  /** Which vectors a model makes stays the same while the server runs the same model. */
  const lengths = new Map<string, number>();
  const serve = createServiceFetch(options.fetch);
  return {
    problem: (id) => {
      const server = serverOf(options, id, serve);
      return 'why' in server ? server.why : null;
    },
    find: async (id, signal) => {
      const server = serverOf(options, id, serve);
      if ('why' in server) return server;
      try {
        const version = await versionOf(server, signal);
        const key = sha256Of(Buffer.from(JSON.stringify([server.kind, server.address, server.name, version])));
        const length = lengths.get(key) ?? (await vectorsOf(server, [probe], signal))[0]?.length ?? 0;
        lengths.set(key, length);
        const digest = `${key} ${length}`;
        known.set(digest, { ...server, length });
        return { model: { label: id, digest } };
      } catch (error) {
        return { why: whyOf(server, error, signal) };
      }
    },
    read: async (texts, digest, signal) => {
      const server = known.get(digest);
      if (server === undefined) return null;
      try {
        const vectors = await vectorsOf(server, texts, signal);
        const other = vectors.find(({ length }) => length !== server.length);
        if (other === undefined) return { ok: true, rows: vectors.map(inBase64) };
        return {
          ok: false,
          why: `${server.id} gave a vector of ${other.length} numbers, and ${server.length} before. It may be another model now.`,
        };
      } catch (error) {
        return { ok: false, why: whyOf(server, error, signal) };
      }
    },
  };
}

/** A sentence. Rejects after an abort. */
function whyOf({ id, address }: Server, error: unknown, signal: AbortSignal): string {
  signal.throwIfAborted();
  const root = error instanceof Error ? rootCause(error) : error;
  const said = messageOf(root).replace(/\.$/u, '');
  return `${id} at ${shownAddress(address)} made no vectors: ${said}.`;
}

function serverOf(
  { providerSettings, ollamaHost, limitMs = usualLimitMs }: ServedVectorsOptions,
  id: string,
  serve: typeof fetch,
): Server | { readonly why: string } {
  const at = id.indexOf('/');
  const settings = providerSettings(id.slice(0, at));
  const place = settings === null ? null : placeOf(settings, ollamaHost);
  if (place === null)
    return {
      why: `${id} makes no vectors: searchModel takes a model file (llama-cpp/NAME), a model of Ollama, or one of a local server in your settings.`,
    };
  const host = URL.parse(place.address)?.hostname ?? '';
  // A server that passes texts on counts as one elsewhere, at whatever address.
  if (!place.isLocal || !isThisMachine(host))
    return {
      why: `${id} is not on this machine (${shownAddress(place.address)}), and texts of documents are sent to no other one for a search.`,
    };
  return { id, kind: place.kind, address: place.address, name: id.slice(at + 1), fetch: serve, limitMs };
}

function placeOf(settings: ProviderSettings, ollamaHost: string | undefined) {
  if (settings.kind === 'ollama')
    return { kind: 'ollama' as const, address: ollamaAddress(settings.baseUrl, ollamaHost), isLocal: true };
  if (settings.kind !== 'openai-compatible') return null;
  const preset = chatPreset(settings.preset);
  const address = settings.baseUrl ?? preset.baseUrl ?? '';
  return { kind: 'openai' as const, address, isLocal: (settings.where ?? preset.where) === 'local' };
}

const tagsSchema = z.object({
  models: z.array(z.object({ name: z.string(), digest: z.string().nullish(), remote_host: z.string().nullish() })),
});
const listSchema = z.object({ data: z.array(z.object({ id: z.string(), meta: z.unknown().optional() })) });

/** What changes with the model behind the name. Throws if the server has no model of this name. */
async function versionOf(server: Server, signal: AbortSignal): Promise<string> {
  const { kind, name } = server;
  if (kind === 'ollama') {
    const { models } = formed(tagsSchema, await ask(server, { path: '/api/tags' }, signal), 'is no list of models');
    const model = models.find((one) => one.name === name || one.name === `${name}:latest`);
    if (model === undefined) throw new Error(`it has no ${name}. Bring it with \`ollama pull ${name}\``);
    if ((model.remote_host ?? '') !== '')
      throw new Error(`the model runs at ${model.remote_host}, and texts of documents are not sent there`);
    return model.digest ?? '';
  }
  const { data } = formed(listSchema, await ask(server, { path: '/models' }, signal), 'is no list of models');
  const model = data.find(({ id }) => id === name);
  if (model === undefined)
    throw new Error(`it has no ${name}, but ${data.map(({ id }) => id).join(', ') || 'nothing'}`);
  return JSON.stringify(model.meta ?? null);
}

const numbers = z.array(z.number()).min(2).max(mostNumbers);
const ollamaSchema = z.object({ model: z.string().nullish(), embeddings: z.array(numbers) });
const openaiSchema = z.object({
  model: z.string().nullish(),
  data: z.array(z.object({ index: z.number().int().nonnegative(), embedding: numbers })),
});

/** One for each text, in order, of length 1. Throws if any is not right: a wrong vector would hide its text. */
async function vectorsOf(
  server: Server,
  texts: readonly string[],
  signal: AbortSignal,
): Promise<readonly Float32Array[]> {
  const { kind, name } = server;
  const said = await askShorter(server, texts, signal);
  const { model, rows } = kind === 'ollama' ? ollamaRows(said) : openaiRows(said);
  if (model !== null && model !== name && model !== `${name}:latest`)
    throw new Error(`${model.slice(0, 100)} answered in its place`);
  if (rows.length !== texts.length) throw new Error(`it gave ${rows.length} vectors for ${texts.length} texts`);
  const length = rows[0]?.length ?? 0;
  if (rows.some((row) => row.length !== length)) throw new Error('its vectors have different lengths');
  return rows.map(withLengthOne);
}

function ollamaRows(said: unknown) {
  const { model = null, embeddings } = formed(ollamaSchema, said, 'holds no vectors');
  return { model, rows: embeddings };
}

function openaiRows(said: unknown) {
  const { model = null, data } = formed(openaiSchema, said, 'holds no vectors');
  const rows = data.toSorted((one, other) => one.index - other.index);
  if (rows.some(({ index }, at) => index !== at)) throw new Error('it numbers its vectors in another way');
  return { model, rows: rows.map(({ embedding }) => embedding) };
}

function formed<T>(schema: z.ZodType<T>, said: unknown, otherwise: string): T {
  const { data } = schema.safeParse(said);
  if (data === undefined) throw new Error(`its answer ${otherwise}`);
  return data;
}

function withLengthOne(row: readonly number[]): Float32Array {
  const length = Math.hypot(...row);
  // JSON has no NaN, but numbers beyond any size.
  if (!Number.isFinite(length) || length === 0) throw new Error('a vector of it has no direction');
  return Float32Array.from(row, (value) => value / length);
}

const inBase64 = (vector: Float32Array): string => Buffer.from(vector.buffer).toString('base64');

/** Ollama cuts a long text itself. Others refuse it, and the end is left out then. */
async function askShorter(server: Server, texts: readonly string[], signal: AbortSignal): Promise<unknown> {
  for (let cuts = 0, input = texts; ; cuts += 1) {
    const path = server.kind === 'ollama' ? '/api/embed' : '/embeddings';
    const body = { model: server.name, input, ...(server.kind === 'ollama' ? { truncate: true } : {}) };
    try {
      return await ask(server, { path, body }, signal);
    } catch (error) {
      const isLong = /too (?:large|long)|exceed|batch size|context (?:length|size)/iu.test(messageOf(error));
      if (!isLong || cuts === mostCuts || signal.aborted) throw error;
      input = input.map((text) => text.slice(0, Math.ceil(text.length / 2)));
    }
  }
}

async function ask(
  { address, fetch: get, limitMs }: Server,
  { path, body }: { readonly path: string; readonly body?: object },
  signal: AbortSignal,
): Promise<unknown> {
  const child = childAbort(signal, { ms: limitMs });
  try {
    const post = { method: 'POST', body: JSON.stringify(body), headers: { 'content-type': 'application/json' } };
    const init = { ...(body === undefined ? {} : post), signal: child.signal };
    const response = await get(addressBelow(address, path), init);
    const text = await shortText(response);
    if (!response.ok) throw new Error(`it answered ${response.status}: ${messageIn(text)}`);
    try {
      return JSON.parse(text);
    } catch {
      throw new Error('its answer was cut off, or is not JSON');
    }
  } catch (error) {
    throw child.signal.aborted && !signal.aborted ? new Error('it did not answer in time') : error;
  } finally {
    child.release();
  }
}

async function shortText(response: Response): Promise<string> {
  const decoder = new TextDecoder();
  const pieces: string[] = [];
  let bytes = 0;
  for await (const piece of response.body ?? []) {
    bytes += piece.byteLength;
    if (bytes > mostAnswerBytes) throw new Error('its answer is too long');
    pieces.push(decoder.decode(piece, { stream: true }));
  }
  return [...pieces, decoder.decode()].join('');
}
