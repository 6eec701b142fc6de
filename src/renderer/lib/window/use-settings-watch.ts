import { useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import { useClient } from '../connection/core-context.ts';

const retryMs = 2_000;

/** What other settings decide about. */
const ofModels = /^(?:local|cloud|providers|prices|models|projectModels|energy)\b/u;

/** Whatever is changed, here, in another window or at the terminal, is read anew by all who show it. */
export function useSettingsWatch(): void {
  const client = useClient();
  const queries = useQueryClient();
  useEffect(() => {
    const stop = new AbortController();
    const { signal } = stop;
    const follow = async (): Promise<void> => {
      for await (const { keys } of await client.settings.watch(undefined, { signal })) {
        await queries.invalidateQueries({ queryKey: ['settings'] });
        if (keys.some((key) => ofModels.test(key))) await queries.invalidateQueries({ queryKey: ['models'] });
      }
    };
    const keepOn = async (): Promise<void> => {
      while (!signal.aborted) {
        // A stream that broke off is taken up again, and says at its beginning that all is to be read anew.
        await follow().catch(() => undefined);
        if (!signal.aborted) await new Promise((resolve) => setTimeout(resolve, retryMs));
      }
    };
    void keepOn();
    return () => stop.abort();
  }, [client, queries]);
}
