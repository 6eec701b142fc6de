import { setImmediate as nextTurn } from 'node:timers/promises';
import { ORPCError } from '@orpc/client';
import { AppError, messageOf, toFailure } from '@shared/errors.ts';
import { settingsSchema } from '@shared/settings/settings.ts';
import type { OpenCore } from './open-core.ts';
import type { CoreClient } from '../../server/local-socket.ts';

/** The core of one command. It is opened at the first use, and again after the owner of the home has ended. */
export interface CoreConnection {
  readonly open: () => Promise<OpenCore>;
  /** The error to show for a failed call. A call that was cut off does not say that the owner has ended; this does. */
  readonly explain: (error: unknown) => Promise<unknown>;
  /** Rejects with the error of closing. A core that could not be opened has been reported already. */
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
      // Calls learn first that the connection has ended.
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

/** Null if no core was opened, or it could not be. */
async function openedOf(opening: Promise<OpenCore> | null): Promise<OpenCore | null> {
  return opening === null ? null : opening.catch(() => null);
}

/** Two builds may have different commands, or different meanings for them. */
function explainOtherBuild(error: unknown, opened: OpenCore | null): unknown {
  if (opened === null || opened.otherBuild === null) return error;
  const setting = missingSetting(error);
  if (setting === null && isExpected(error)) return error;
  const owner = `Another build of Dewpoint (${opened.otherBuild}) owns this home`;
  const message =
    setting === null
      ? `${owner} and could not do this: ${messageOf(error)}.`
      : `${owner}, and it does not have the setting ${setting}.`;
  return new AppError('home-busy', message, { hint: 'End that process, then start again.', cause: error });
}

/** A setting that this build has and the other one did not find. Null: the error is about something else. */
function missingSetting(error: unknown): string | null {
  const name = /^The setting (\S+) was not found\.$/u.exec(messageOf(error))?.[1] ?? null;
  return name !== null && Object.hasOwn(settingsSchema.shape, name.split('.')[0] ?? '') ? name : null;
}

function isExpected(error: unknown): boolean {
  return error instanceof ORPCError ? error.code === 'FAILED' : toFailure(error).code !== 'internal';
}

/** A core to talk to: that of this process if it owns the home, else that of the owner. */
export interface ConnectedCore {
  readonly client: CoreClient;
  /** Resolves when the core is gone. */
  readonly closed: Promise<void>;
  /** `now`: cancels work that only this process can have asked for, instead of waiting for it. */
  close(options: { readonly now: boolean }): Promise<void>;
}

export interface RenewedConnection {
  /** The current core. After one has gone, the next call opens another. Then this process may own the home. */
  readonly client: () => Promise<CoreClient>;
  /** Closes for good: later callers, such as a timer, cannot open another core in a process that is ending. */
  readonly close: () => Promise<void>;
}

/** Keeps one connection and renews it after a loss. Rejects like `connect` if there is no core. */
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
