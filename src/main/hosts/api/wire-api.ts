import { z } from 'zod';
import type { EndpointCall, EndpointFailure, EndpointPush } from '@shared/contract/endpoint-contract.ts';
import type { Part } from '@shared/models/model-messages.ts';
import { imageTypeSchema } from '@shared/models/model-messages.ts';
import type { Usage } from '@shared/money/token-cost.ts';
import { jsonOrText } from '@shared/text/json-in.ts';

/** One API that other programs speak: how a call is read, and how an answer is written. */
export interface WireApi {
  /** Throws a `WireProblem` for what cannot be asked. */
  readonly read: (body: unknown) => ReadCall;
  readonly writer: (asked: AskedAnswer) => AnswerWriter;
  readonly failure: (failure: WireFailure) => unknown;
}

export interface ReadCall {
  readonly call: EndpointCall;
  readonly isStream: boolean;
  /** Whether the last piece of a stream is to say what was used, where the API leaves that to the client. */
  readonly wantsUsage: boolean;
}

/** What an answer is written with. */
export interface AskedAnswer extends ReadCall {
  /** Random, for the names of the answer and its parts. */
  readonly id: string;
  /** Milliseconds since 1970. */
  readonly at: number;
}

export type SaidPush = Extract<EndpointPush, { type: 'text' | 'reasoning' | 'call' }>;
export type EndedPush = Extract<EndpointPush, { type: 'ended' }>;

/** Writes one answer: as a stream of events, or whole at its end. It is told everything in order. */
export interface AnswerWriter {
  /** The event lines that a stream begins with. */
  readonly start: () => string;
  readonly said: (push: SaidPush) => string;
  /** The last lines of a stream. */
  readonly end: (ended: EndedPush) => string;
  /** Where the answer breaks off after it began. */
  readonly broken: (failure: WireFailure) => string;
  /** The answer in one piece, once it has ended. */
  readonly whole: (ended: EndedPush) => unknown;
  /** Keeps a connection open while nothing is said. */
  readonly pause: string;
}

/** What goes back in place of an answer. */
export interface WireFailure {
  readonly status: number;
  readonly code: EndpointFailure['code'] | 'not-found' | 'too-large' | 'wrong-method' | 'forbidden';
  readonly message: string;
}

/** Something in a call that Dewpoint does not do, in words for whoever wrote the program. */
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

/** What is not looked at, because it changes nothing or is made elsewhere, may be there. Throws a `WireProblem`. */
export function parseBody<T>(schema: z.ZodType<T>, body: unknown): T {
  const parsed = schema.safeParse(body);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  const path = issue?.path.map(String).join('.') ?? '';
  throw new WireProblem(`${path === '' ? 'The body' : path}: ${issue?.message ?? 'is not what was expected'}.`);
}

/** Fields that would change the answer and are not done here. Absent, null and the values that change nothing are fine. */
export function refuseFields(body: unknown, fields: Readonly<Record<string, readonly unknown[]>>): void {
  for (const [name, harmless] of Object.entries(fields)) {
    const value: unknown = Reflect.get(Object(body), name);
    if (value === undefined || value === null || harmless.includes(value)) continue;
    throw new WireProblem(`${name}: Dewpoint does not do this. Leave it out.`);
  }
}

/** An image of a call lies in the call: nothing is fetched for a client. */
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

/** Arguments as a text; what is no JSON is kept as it is. */
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

/** What an answer came to, for whoever gets it whole. */
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
