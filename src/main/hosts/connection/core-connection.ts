import { setImmediate as nextTurn } from 'node:timers/promises';
import { ORPCError } from '@orpc/client';
import { AppError, messageOf, toFailure } from '@shared/errors.ts';
import type { OpenCore } from './open-core.ts';
import type { CoreClient } from '../../server/local-socket.ts';

/** The core of one command: opened at the first use, and anew after the process that owned the home has gone. */
export interface CoreConnection {
  readonly open: () => Promise<OpenCore>;
  /** What to tell a person about an error of the command: a call that was cut off says nothing of the owner's end. */
  readonly explain: (error: unknown) => Promise<unknown>;
  /** Rejects with what closing failed with; a core that could not be opened has been reported already. */
  readonly close: () => Promise<void>;
}

export function createCoreConnection(openCore: () => Promise<OpenCore>): CoreConnection {
  let current: Promise<OpenCore> | null = null;
  let isOwnerGone = false;
  const openAnew = (): Promise<OpenCore> => {
    const opening = openCore();
    const forget = (): void => {
      isOwnerGone = true;
      if (current === opening) current = null;
    };
    opening.then(
      ({ closed }) => closed.then(forget),
      () => undefined,
    );
    return opening;
  };
  return {
    open: () => {
      current ??= openAnew();
      return current;
    },
    explain: async (error) => {
      // The connection's end is told to its calls first.
      await nextTurn();
      if (!isOwnerGone) return explainOtherBuild(error, await openedOf(current));
      return new AppError('home-busy', 'The Dewpoint process that did the work has ended.', {
        hint: 'The log has what was done: dewpoint sessions show last. Start again to continue.',
        cause: error,
      });
    },
    close: async () => {
      await (await current)?.close();
    },
  };
}

/** Null where none was opened, or none could be. */
async function openedOf(opening: Promise<OpenCore> | null): Promise<OpenCore | null> {
  return opening === null ? null : opening.catch(() => null);
}

/** Two builds may not know the same commands, or not mean the same by them. */
function explainOtherBuild(error: unknown, opened: OpenCore | null): unknown {
  if (opened === null || opened.otherBuild === null || isExpected(error)) return error;
  const message = `Another build of Dewpoint (${opened.otherBuild}) owns this home and could not do this: ${messageOf(error)}.`;
  return new AppError('home-busy', message, { hint: 'End that process, then start again.', cause: error });
}

function isExpected(error: unknown): boolean {
  return error instanceof ORPCError ? error.code === 'FAILED' : toFailure(error).code !== 'internal';
}

/** A core to talk to: the one of this process, which owns the home, or the one of the process that does. */
export interface ConnectedCore {
  readonly client: CoreClient;
  /** Resolves when the core has gone. */
  readonly closed: Promise<void>;
  /** `now`: what only this process can have asked for is cancelled, not waited for. */
  close(options: { readonly now: boolean }): Promise<void>;
}

export interface RenewedConnection {
  /** The core of now. After one has gone, the next call opens another: it may then be this process that owns the home. */
  readonly client: () => Promise<CoreClient>;
  /** For good: who still asks, such as a clock, opens no other one in a process that ends. */
  readonly close: () => Promise<void>;
}

/** Keeps one connection and renews it when it is lost. Rejects, as `connect` does, when there is none to be had. */
export function createRenewedConnection(connect: () => Promise<ConnectedCore>): RenewedConnection {
  let current: Promise<ConnectedCore> | null = null;
  let isClosed = false;
  const open = (): Promise<ConnectedCore> => {
    const opening = connect();
    const forget = (): void => {
      if (current === opening) current = null;
    };
    opening.then((connection) => connection.closed.then(forget), forget);
    return opening;
  };
  return {
    async client() {
      if (isClosed) throw new AppError('cancelled', 'Dewpoint is closing.');
      current ??= open();
      return (await current).client;
    },
    async close() {
      const last = current;
      isClosed = true;
      current = null;
      if (last !== null) await (await last).close({ now: true });
    },
  };
}
