import { ORPCError } from '@orpc/server';
import { toFailure } from '@shared/errors.ts';

/** Expected failures keep their type across the connection. A bug crosses with its message, without its stack. */
export function toContractError(error: unknown): unknown {
  if (error instanceof ORPCError) return error;
  const failure = toFailure(error);
  return new ORPCError('FAILED', { defined: true, status: 422, message: failure.message, data: failure });
}

export function isStream(value: unknown): value is AsyncIterable<unknown> {
  return typeof value === 'object' && value !== null && Symbol.asyncIterator in value;
}

/** The same stream; its error is converted by `change`. */
export async function* streamFailingWith(
  source: AsyncIterable<unknown>,
  change: (error: unknown) => unknown,
): AsyncGenerator<unknown> {
  try {
    yield* source;
  } catch (error) {
    throw change(error);
  }
}
