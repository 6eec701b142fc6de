/**
 * The process that uses the system's key store. It is separate because the store can block or crash it: a locked
 * keyring that waits for its password blocks a thread, so that the process cannot even exit, and in some states the
 * native library ends the process. The caller then kills it and continues.
 */
import { refuseConnections } from '../../lib/net/no-connections.ts';
import { keyRequestSchema } from './key-protocol.ts';
import type { KeyReply, KeyRequest } from './key-protocol.ts';

type Keytar = typeof import('keytar');

const send = (reply: KeyReply): void => void process.send?.(reply);

async function answer(keytar: Keytar, request: KeyRequest): Promise<string | null> {
  switch (request.type) {
    case 'get':
      return keytar.getPassword(request.service, request.account);
    case 'set':
      await keytar.setPassword(request.service, request.account, request.value);
      return null;
    case 'delete':
      await keytar.deletePassword(request.service, request.account);
      return null;
    default:
      return request satisfies never;
  }
}

async function serve(): Promise<void> {
  // A normal exit would wait for the thread that waits for the store.
  process.on('disconnect', () => process.kill(process.pid, 'SIGKILL'));
  let keytar: Keytar;
  try {
    const loaded: { readonly default?: Keytar } & Keytar = await import('keytar');
    keytar = loaded.default ?? loaded;
  } catch (error) {
    send({ type: 'not-loaded', message: String(error) });
    return;
  }
  process.on('message', (message) => {
    const request = keyRequestSchema.parse(message);
    answer(keytar, request).then(
      (value) => send({ id: request.id, type: 'done', value }),
      (error: unknown) => send({ id: request.id, type: 'failed', message: String(error) }),
    );
  });
}

refuseConnections();
void serve();
