import { expect, it } from 'vitest';
import type { CoreClient } from '../../../../src/main/server/local-socket.ts';
import type { ConnectedCore } from '../../../../src/main/hosts/connection/core-connection.ts';
import { createRenewedConnection } from '../../../../src/main/hosts/connection/core-connection.ts';

interface Opened extends ConnectedCore {
  readonly lose: () => void;
}

function connector(failures = 0) {
  const opened: Opened[] = [];
  const closes: boolean[] = [];
  let left = failures;
  const connect = async (): Promise<ConnectedCore> => {
    left -= 1;
    if (left >= 0) throw new Error('not there');
    let lose = (): void => undefined;
    const closed = new Promise<void>((resolve) => (lose = resolve));
    // The clients differ only by identity.
    const client = {} as CoreClient;
    const connection = {
      client,
      closed,
      lose,
      close: async ({ now }: { readonly now: boolean }) => void closes.push(now),
    };
    opened.push(connection);
    return connection;
  };
  return { connect, opened, closes };
}

it('a renewed connection opens one core for several calls at once', async () => {
  const { connect, opened } = connector();
  const link = createRenewedConnection(connect);
  const [first, second] = await Promise.all([link.client(), link.client()]);
  expect([opened.length, first === second]).toEqual([1, true]);
});

it('a renewed connection opens another core when the first has gone', async () => {
  const { connect, opened } = connector();
  const link = createRenewedConnection(connect);
  const first = await link.client();
  opened[0]?.lose();
  await new Promise((resolve) => setImmediate(resolve));
  expect(await link.client()).not.toBe(first);
  expect(opened).toHaveLength(2);
});

it('a renewed connection tries again after a failure', async () => {
  const { connect } = connector(1);
  const link = createRenewedConnection(connect);
  await expect(link.client()).rejects.toThrow('not there');
  await expect(link.client()).resolves.toBeDefined();
});

it('a renewed connection closes the open core once', async () => {
  const { connect, closes } = connector();
  await createRenewedConnection(connect).close();
  const link = createRenewedConnection(connect);
  await link.client();
  await link.close();
  await link.close();
  expect(closes).toEqual([true]);
});

/** Catches: a timer that asks while the app ends, and reopens the home that was just released. */
it('a renewed connection opens no core after it was closed', async () => {
  const { connect, opened } = connector();
  const link = createRenewedConnection(connect);
  await link.client();
  const closing = link.close();
  await expect(link.client()).rejects.toThrow('Dewpoint is closing.');
  await closing;
  expect(opened).toHaveLength(1);
});
