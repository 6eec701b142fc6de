import type { AnswerDecoder, WireCodec } from '../../wire/wire-codec.ts';
import type { ModelTarget } from '../api/api-provider.ts';
import type { ModelRequest } from '../define.ts';
import type { Wire } from './stream-answer.ts';

interface CodecWireOptions<Event, Target extends ModelTarget, Body> {
  readonly codec: Pick<WireCodec<Event, Target>, 'decodeAnswer'> & {
    readonly encodeRequest: (request: ModelRequest, target: Target) => Body;
  };
  readonly targetOf: (request: ModelRequest) => Target;
  /** Sends an encoded request, and returns the events of its answer. */
  readonly send: (body: Body, signal: AbortSignal, request: ModelRequest) => Promise<AsyncIterable<Event>>;
  readonly errorOf: Wire<Event>['errorOf'];
}

/** One call in a wire format. Use it for one call only. */
export function codecWire<Event, Target extends ModelTarget, Body>({
  codec,
  targetOf,
  send,
  errorOf,
}: CodecWireOptions<Event, Target, Body>): Wire<Event> {
  let decoder: AnswerDecoder<Event> | null = null;
  return {
    open: async (request, signal) => {
      const target = targetOf(request);
      decoder = codec.decodeAnswer(request, target);
      return send(codec.encodeRequest(request, target), signal, request);
    },
    take: (event, answer) => decoder?.take(event, answer) ?? [],
    close: (answer) => decoder?.close?.(answer),
    errorOf,
  };
}
