import type { KeySignInProgress } from '@shared/contract/keys-contract.ts';
import { progressStream } from '../../lib/async/push-queue.ts';
import type { Handlers } from '../../server/handlers.ts';
import type { HomeKeys } from './home-keys.ts';

/** The commands for the keys of services. A key is never returned. */
export function createKeyCommands(keys: HomeKeys): Handlers['keys'] {
  return {
    list: () => keys.list(),
    set: ({ input, signal }) => keys.set(input, signal),
    signIn: ({ input, signal }) =>
      progressStream<KeySignInProgress>(async (push, stop) => {
        const onOpen = (url: string): void => push({ type: 'open', url });
        push({ type: 'done', outcome: await keys.signIn(input, { signal: stop, onOpen }) });
      }, signal),
    signInAddress: async ({ input: { provider } }) => ({ url: keys.signIns.waiting(provider) }),
    finishSignIn: async ({ input: { provider, address } }) => keys.signIns.deliver(provider, address),
    try: ({ input, signal }) => keys.try(input.provider, input.value, signal),
    test: ({ input, signal }) => keys.test(input.provider, signal),
    remove: ({ input }) => keys.remove(input.provider),
    restore: ({ input }) => keys.restore(input.provider),
  };
}
