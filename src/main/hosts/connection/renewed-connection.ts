import type { CoreClient } from '../../server/local-socket.ts';

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
  readonly close: () => Promise<void>;
}

/** Keeps one connection and renews it when it is lost. Rejects, as `connect` does, when there is none to be had. */
export function createRenewedConnection(connect: () => Promise<ConnectedCore>): RenewedConnection {
  let current: Promise<ConnectedCore> | null = null;
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
      current ??= open();
      return (await current).client;
    },
    async close() {
      const last = current;
      current = null;
      if (last !== null) await (await last).close({ now: true });
    },
  };
}
