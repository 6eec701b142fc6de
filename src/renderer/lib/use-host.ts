import { useQuery } from '@tanstack/react-query';
import { useEffect } from 'react';
import type { HostPush } from '@shared/contract.ts';
import { useClient } from './core-context.ts';

/** Whether the page is in the app's window, with its dialogs and menus; false in a browser, and until that is known. */
export function useIsWindow(): boolean {
  const client = useClient();
  const query = useQuery({
    queryKey: ['host'],
    queryFn: ({ signal }) => client.host.info(undefined, { signal }),
    staleTime: Number.POSITIVE_INFINITY,
  });
  return query.data?.isWindow === true;
}

/** Hears what the app around the page wants shown or done. `onPush` should stay the same. */
export function useHostPushes(onPush: (push: HostPush) => void): void {
  const client = useClient();
  const isWindow = useIsWindow();
  useEffect(() => {
    if (!isWindow) return undefined;
    const stop = new AbortController();
    const listen = async (): Promise<void> => {
      for await (const push of await client.host.pushes(undefined, { signal: stop.signal })) onPush(push);
    };
    // When the connection goes, a new one listens anew.
    listen().catch(() => undefined);
    return () => stop.abort();
  }, [client, isWindow, onPush]);
}
