import { useQuery } from '@tanstack/react-query';
import { useEffect } from 'react';
import type { HostPush } from '@shared/contract/host-contract.ts';
import { useClient } from './core-context.ts';

function useHostInfo() {
  const client = useClient();
  return useQuery({
    queryKey: ['host'],
    queryFn: ({ signal }) => client.host.info(undefined, { signal }),
    staleTime: Number.POSITIVE_INFINITY,
  }).data;
}

/** Whether the page is in the app's window, with its dialogs and menus; false in a browser, and until that is known. */
export function useIsWindow(): boolean {
  return useHostInfo()?.isWindow === true;
}

const noRoots: readonly string[] = [];

/** Where projects lie, for a page that names folders by their way from there; empty: it names them by their path. */
export function useRoots(): readonly string[] {
  return useHostInfo()?.roots ?? noRoots;
}

/** Whether the host of this page lets a command of the contract through; until that is known it is not offered. */
export function useIsCommandRefused(command: string): boolean {
  const info = useHostInfo();
  return info === undefined || info.refused.includes(command);
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
