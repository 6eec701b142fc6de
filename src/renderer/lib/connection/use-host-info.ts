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

/** Whether the page is in the app's window, with its dialogs and menus. False in a browser, and while unknown. */
export function useIsWindow(): boolean {
  return useHostInfo()?.isWindow === true;
}

const noRoots: readonly string[] = [];

/** The folders that hold projects, for a page that names folders relative to them. Empty: the page uses full paths. */
export function useRoots(): readonly string[] {
  return useHostInfo()?.roots ?? noRoots;
}

/**
 * Whether the host of this page refuses a command of the contract. While this is unknown, the command counts as
 * refused.
 */
export function useIsCommandRefused(command: string): boolean {
  const info = useHostInfo();
  return info === undefined || info.refused.includes(command);
}

/** Listens to what the app around the page wants shown or done. `onPush` should stay the same function. */
export function useHostPushes(onPush: (push: HostPush) => void): void {
  const client = useClient();
  const isWindow = useIsWindow();
  useEffect(() => {
    if (!isWindow) return undefined;
    const stop = new AbortController();
    const listen = async (): Promise<void> => {
      for await (const push of await client.host.pushes(undefined, { signal: stop.signal })) onPush(push);
    };
    // After a lost connection, the new one listens again.
    listen().catch(() => undefined);
    return () => stop.abort();
  }, [client, isWindow, onPush]);
}
