import { createContext, useContext } from 'react';
import type { CoreClient } from './core-client.ts';

/** The current connection, for all components inside. */
export const CoreContext = createContext<CoreClient | null>(null);

export function useClient(): CoreClient {
  const client = useContext(CoreContext);
  if (client === null) throw new Error('drawn outside of the connection');
  return client;
}
