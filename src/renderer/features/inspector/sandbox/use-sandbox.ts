import { useEffect, useState } from 'react';
import type { SandboxView } from '@shared/sandbox/sandbox-view.ts';
import { useClient } from '../../../lib/connection/core-context.ts';

const retryMs = 3_000;

/** How it stands with the sandbox, for as long as this is shown and the window can be seen; null until it is known. */
export function useSandbox(sessionId: string): SandboxView | null {
  const client = useClient();
  const isVisible = usePageVisible();
  const [view, setView] = useState<SandboxView | null>(null);
  useEffect(() => {
    if (!isVisible) return undefined;
    const stop = new AbortController();
    const { signal } = stop;
    const watch = async (): Promise<void> => {
      while (!signal.aborted) {
        try {
          for await (const next of await client.sandboxes.watch({ sessionId }, { signal })) {
            if (signal.aborted) return;
            setView(next);
          }
        } catch {
          // The connection is made again elsewhere; what was seen stays until then.
        }
        await new Promise((resolve) => setTimeout(resolve, retryMs));
      }
    };
    void watch();
    return () => stop.abort();
  }, [client, sessionId, isVisible]);
  return view;
}

function usePageVisible(): boolean {
  const [isVisible, setIsVisible] = useState(!document.hidden);
  useEffect(() => {
    const look = (): void => setIsVisible(!document.hidden);
    document.addEventListener('visibilitychange', look);
    return () => document.removeEventListener('visibilitychange', look);
  }, []);
  return isVisible;
}
