import type { EndpointCall, EndpointFailure, EndpointPush } from '@shared/contract/endpoint-contract.ts';
import type { Usage } from '@shared/money/token-cost.ts';
import type { ModelTarget } from '../providers/api/api-provider.ts';
import type { Wire } from '../providers/call/stream-answer.ts';
import type { ModelRequest } from '../providers/define.ts';

/**
 * One wire format in both directions: as a provider speaks it to a service, and as the endpoint answers other programs.
 * `Target`: what a request has to know of the model and its service.
 */
export interface WireCodec<Event, Target extends ModelTarget> {
  readonly encodeRequest: (request: ModelRequest, target: Target) => unknown;
  /** Throws a `WireProblem` for an unsupported call. */
  readonly decodeRequest: (body: unknown) => DecodedCall;
  readonly encodeAnswer: (asked: AskedAnswer) => AnswerEncoder;
  readonly decodeAnswer: (request: ModelRequest, target: Target) => AnswerDecoder<Event>;
  readonly encodeFailure: (failure: WireFailure) => unknown;
}

/** What the endpoint needs of a format. */
export type AnsweringCodec = Pick<WireCodec<never, never>, 'decodeRequest' | 'encodeAnswer' | 'encodeFailure'>;

/** Reads one answer, event by event. */
export type AnswerDecoder<Event> = Pick<Wire<Event>, 'take' | 'close'>;

export interface DecodedCall {
  readonly call: EndpointCall;
  readonly isStream: boolean;
  /** Whether the last piece of a stream must state the usage, in APIs where the client decides that. */
  readonly wantsUsage: boolean;
}

/** What the encoder of an answer needs. */
export interface AskedAnswer extends DecodedCall {
  /** A random id for the names of the answer and its parts. */
  readonly id: string;
  /** Milliseconds since 1970. */
  readonly at: number;
}

export type SaidPush = Extract<EndpointPush, { type: 'text' | 'reasoning' | 'call' }>;
export type EndedPush = Extract<EndpointPush, { type: 'ended' }>;

/** Writes one answer: as a stream of events, or as a whole at its end. It gets every push in order. */
export interface AnswerEncoder {
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

export function promptTokens({ freshInput, cacheRead, cacheWrite }: Usage): number {
  return freshInput + cacheRead + cacheWrite;
}

export const event = (data: unknown, name?: string): string =>
  `${name === undefined ? '' : `event: ${name}\n`}data: ${JSON.stringify(data)}\n\n`;

/** The collected parts of an answer, for clients that get it as a whole. */
export interface WholeAnswer {
  text: string;
  reasoning: string;
  readonly calls: Extract<SaidPush, { type: 'call' }>[];
}

export function collectAnswer(): WholeAnswer {
  return { text: '', reasoning: '', calls: [] };
}

export function collect(into: WholeAnswer, push: SaidPush): void {
  if (push.type === 'text') into.text += push.text;
  else if (push.type === 'reasoning') into.reasoning += push.text;
  else into.calls.push(push);
}
