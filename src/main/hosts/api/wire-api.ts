import { z } from 'zod';
import type { EndpointCall, EndpointFailure, EndpointPush } from '@shared/contract/endpoint-contract.ts';
import type { Part } from '@shared/models/model-messages.ts';
import { imageTypeSchema } from '@shared/models/model-messages.ts';
import type { Usage } from '@shared/money/token-cost.ts';
import { jsonOrText } from '@shared/text/json-in.ts';

/** An API that other programs use: how to read a call, and how to write an answer. */
export interface WireApi {
  /** Throws a `WireProblem` for an unsupported call. */
  readonly read: (body: unknown) => ReadCall;
  readonly writer: (asked: AskedAnswer) => AnswerWriter;
  readonly failure: (failure: WireFailure) => unknown;
}

export interface ReadCall {
  readonly call: EndpointCall;
  readonly isStream: boolean;
  /** Whether the last piece of a stream must state the usage, in APIs where the client decides that. */
  readonly wantsUsage: boolean;
}

/** What the writer of an answer needs. */
export interface AskedAnswer extends ReadCall {
  /** A random id for the names of the answer and its parts. */
  readonly id: string;
  /** Milliseconds since 1970. */
  readonly at: number;
}

export type SaidPush = Extract<EndpointPush, { type: 'text' | 'reasoning' | 'call' }>;
export type EndedPush = Extract<EndpointPush, { type: 'ended' }>;

/** Writes one answer: as a stream of events, or as a whole at its end. It gets every push in order. */
export interface AnswerWriter {
  /** The first event lines of a stream. */
  readonly start: () => string;
  readonly said: (push: SaidPush) => string;
  /** The last lines of a stream. */
  readonly end: (ended: EndedPush) => string;
  /** For an answer that breaks off after it began. */
  readonly broken: (failure: WireFailure) => string;
  /** The whole answer, once it has ended. */
  readonly whole: (ended: EndedPush) => unknown;
  /** Keeps the connection open while there is no text. */
  readonly pause: string;
}

/** Sent instead of an answer. */
export interface WireFailure {
  readonly status: number;
  readonly code: EndpointFailure['code'] | 'not-found' | 'too-large' | 'wrong-method' | 'forbidden';
  readonly message: string;
}

/** Something in a call that Dewpoint does not support, in words for the program's author. */
export class WireProblem extends Error {}

const statuses: Readonly<Record<EndpointFailure['code'], number>> = {
  'wrong-key': 401,
  'unknown-model': 404,
  'not-allowed': 403,
  fenced: 403,
  limit: 429,
  'bad-request': 400,
  'too-long': 400,
  busy: 429,
  'rate-limit': 429,
  unavailable: 503,
  failed: 500,
};

export function wireFailure({ code, message }: EndpointFailure): WireFailure {
  return { status: statuses[code], code, message };
}

/** Unknown fields are allowed, because they change nothing or are checked elsewhere. Throws a `WireProblem`. */
export function parseBody<T>(schema: z.ZodType<T>, body: unknown): T {
  const parsed = schema.safeParse(body);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  const path = issue?.path.map(String).join('.') ?? '';
  throw new WireProblem(`${path === '' ? 'The body' : path}: ${issue?.message ?? 'is not what was expected'}.`);
}

/** Throws for unsupported fields that would change the answer. Absent, null and harmless values are accepted. */
export function refuseFields(body: unknown, fields: Readonly<Record<string, readonly unknown[]>>): void {
  for (const [name, harmless] of Object.entries(fields)) {
    const value: unknown = Reflect.get(Object(body), name);
    if (value === undefined || value === null || harmless.includes(value)) continue;
    throw new WireProblem(`${name}: Dewpoint does not do this. Leave it out.`);
  }
}

/** An image of a call must be included in it: nothing is fetched for a client. */
export function imagePart(mediaType: string, data: string): Part {
  const type = imageTypeSchema.safeParse(mediaType);
  if (!type.success) throw new WireProblem(`An image of the type ${mediaType} cannot be shown to a model.`);
  return { type: 'image', mediaType: type.data, data };
}

export function imageOfUrl(url: string): Part {
  const match = /^data:(?<type>[\w.+-]+\/[\w.+-]+);base64,(?<data>[\w+/=]*)$/u.exec(url);
  if (match?.groups === undefined)
    throw new WireProblem('An image has to be a data: URL with base64. Dewpoint fetches none.');
  return imagePart(match.groups.type ?? '', match.groups.data ?? '');
}

/** Parses arguments. Text that is not JSON is returned unchanged. */
export function parseArguments(text: string): unknown {
  return text.trim() === '' ? {} : jsonOrText(text);
}

export function toolInputSchema(schema: unknown): Record<string, unknown> {
  const parsed = z.record(z.string(), z.unknown()).safeParse(schema ?? {});
  if (!parsed.success) throw new WireProblem('The parameters of a tool are a JSON Schema of an object.');
  return { type: 'object', ...parsed.data };
}

export function promptTokens({ freshInput, cacheRead, cacheWrite }: Usage): number {
  return freshInput + cacheRead + cacheWrite;
}

export const event = (data: unknown, name?: string): string =>
  `${name === undefined ? '' : `event: ${name}\n`}data: ${JSON.stringify(data)}\n\n`;

/** The collected parts of an answer, for clients that get it as a whole. */
export interface Collected {
  text: string;
  reasoning: string;
  readonly calls: Extract<SaidPush, { type: 'call' }>[];
}

export function collected(): Collected {
  return { text: '', reasoning: '', calls: [] };
}

export function collect(into: Collected, push: SaidPush): void {
  if (push.type === 'text') into.text += push.text;
  else if (push.type === 'reasoning') into.reasoning += push.text;
  else into.calls.push(push);
}
