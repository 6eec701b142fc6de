import type { Handlers } from '../../server/handlers.ts';
import type { HomeKeys } from './home-keys.ts';

/** The commands about the keys of services. A key goes in and never comes out. */
export function createKeyCommands(keys: HomeKeys): Handlers['keys'] {
  return {
    list: () => keys.list(),
    set: ({ input, signal }) => keys.set(input, signal),
    try: ({ input, signal }) => keys.try(input.provider, input.value, signal),
    test: ({ input, signal }) => keys.test(input.provider, signal),
    remove: ({ input }) => keys.remove(input.provider),
    restore: ({ input }) => keys.restore(input.provider),
  };
}
