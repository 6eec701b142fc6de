import type { AnyContractRouter } from '@orpc/contract';
import { isContractProcedure } from '@orpc/contract';
import { implement } from '@orpc/server';
import { contract } from '@shared/contract/contract.ts';
import { isStream, streamFailingWith, toContractError } from './contract-error.ts';
import type { Call, Handlers } from './handlers.ts';
import type { CoreRouter } from './serve-channel.ts';

/**
 * The contract, implemented: parse (by the contract), call the handler of that name, map errors. No command is named
 * here. Throws the name of a command without a handler.
 */
export function createRouter(handlers: Handlers): CoreRouter {
  // The walk is over names, so the shape is the contract's by construction. The one cast at this edge.
  return implementNode(contract, handlers, []) as CoreRouter;
}

type AnyHandler = (call: Call<unknown>) => unknown;

const isHandler = (value: unknown): value is AnyHandler => typeof value === 'function';

function implementNode(node: AnyContractRouter, handlers: unknown, path: readonly string[]): unknown {
  if (!isContractProcedure(node)) {
    const children = Object.entries<AnyContractRouter>(node);
    return Object.fromEntries(
      children.map(([name, child]) => [
        name,
        implementNode(child, Reflect.get(Object(handlers), name), [...path, name]),
      ]),
    );
  }
  if (!isHandler(handlers)) throw new Error(`The command ${path.join('.')} has no handler.`);
  return implement(node).handler(async ({ input, signal }) => {
    try {
      // A call through the local client without a signal cannot be cancelled.
      const output = await handlers({ input, signal: signal ?? new AbortController().signal });
      // What a stream fails with later has to cross as well.
      return isStream(output) ? streamFailingWith(output, toContractError) : output;
    } catch (error) {
      throw toContractError(error);
    }
  });
}
