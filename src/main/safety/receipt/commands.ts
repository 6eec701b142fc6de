import type { SendRecord } from '../../lib/net/record-of-sends.ts';
import { sentFolder } from '../../lib/net/record-of-sends.ts';
import type { Handlers } from '../../server/handlers.ts';
import type { SessionStore } from '../../sessions/store/session-store.ts';
import type { HomeKeys } from '../keys/home-keys.ts';
import { makeReceipt, type ReceiptOptions } from './make-receipt.ts';
import { signReceipt } from './sign-receipt.ts';

export interface ReceiptCommandsOptions extends Pick<ReceiptOptions, 'blobs' | 'version' | 'now'> {
  readonly home: string;
  readonly keys: Pick<HomeKeys, 'own'>;
  readonly sends: SendRecord;
  readonly store: SessionStore;
  /** Deleted sessions, of which the log is still there. */
  readonly bin: SessionStore;
  /** Calls of other programs through the endpoint. */
  readonly clientStore: SessionStore;
}

/** The commands for receipts of what left this machine. */
export function createReceiptCommands(given: ReceiptCommandsOptions): Handlers['receipts'] {
  const { home, keys, sends, store, bin, clientStore } = given;
  const stores = [store, bin, clientStore];
  const options: ReceiptOptions = { ...given, folder: sentFolder(home), stores, settle: sends.settle };
  return {
    show: ({ input, signal }) => makeReceipt(options, input, signal),
    sign: async ({ input, signal }) => signReceipt(await makeReceipt(options, input, signal), keys.own),
  };
}
