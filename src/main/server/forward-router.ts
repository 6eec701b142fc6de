import type { AnyContractRouter } from '@orpc/contract';
import { isContractProcedure } from '@orpc/contract';
import { implement } from '@orpc/server';
import { contract } from '@shared/contract/contract.ts';
import { toContractError } from './contract-error.ts';
import type { CoreRouter } from './serve-channel.ts';
import type { CoreClient } from './local-socket.ts';

/** A call to forward to the core: `sessions.send` and its parsed input. */
export interface ForwardedCall {
  readonly name: string;
  readonly input: unknown;
}

export interface ForwardOptions {
  /** The present core. After the owner of the home has gone, it is a different one. */
  readonly client: () => Promise<CoreClient>;
  /** Checks each call before it is forwarded; throws an `AppError` to refuse it. */
  readonly guard?: (call: ForwardedCall) => Promise<void>;
  /** Wraps each call, to pass on a different input or return a different answer. */
  readonly around?: (call: ForwardedCall, next: (input: unknown) => Promise<unknown>) => Promise<unknown>;
  /** The commands that this host answers itself, by their names in the contract. */
  readonly own?: Readonly<Record<string, HostCommand>>;
}

export type HostCommand = (input: unknown, signal: AbortSignal | undefined) => Promise<unknown>;

/**
 * A router whose every procedure forwards to a client, so that a host need not know whether the core runs in its own
 * process or in the one that owns the home. Errors, streams and aborts pass through unchanged.
 */
export function createForwardRouter(options: ForwardOptions): CoreRouter {
  // The code walks over names, so the result has the contract's shape by construction. The only cast at this edge.
  return forwardNode(contract, [], options) as CoreRouter;
}

function forwardNode(node: AnyContractRouter, path: readonly string[], options: ForwardOptions): unknown {
  if (!isContractProcedure(node)) {
    const children = Object.entries<AnyContractRouter>(node);
    return Object.fromEntries(children.map(([name, child]) => [name, forwardNode(child, [...path, name], options)]));
  }
  return implement(node).handler(async ({ input, signal }) => {
    try {
      const call = { name: path.join('.'), input };
      await options.guard?.(call);
      const own = options.own?.[call.name];
      const next = async (given: unknown): Promise<unknown> =>
        own === undefined
          ? procedureOf(await options.client(), path)(given, signal === undefined ? {} : { signal })
          : own(given, signal);
      return await (options.around === undefined ? next(input) : options.around(call, next));
    } catch (error) {
      throw toContractError(error);
    }
  });
}

type Procedure = (input: unknown, options: { readonly signal?: AbortSignal }) => Promise<unknown>;

function procedureOf(client: CoreClient, path: readonly string[]): Procedure {
  let node: unknown = client;
  for (const name of path) node = Reflect.get(Object(node), name);
  // In a client of the same contract, this path leads to this procedure. A marked cast, as above.
  return node as Procedure;
}
