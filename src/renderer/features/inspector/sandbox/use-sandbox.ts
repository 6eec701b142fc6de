import { useEffect, useState } from 'react';
import type { SandboxView } from '@shared/sandbox/sandbox-view.ts';
import { useClient } from '../../../lib/connection/core-context.ts';

const retryMs = 3_000;

/** The state of the sandbox, while this is shown and the window is visible; null until it is known. */
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
          // Another part of the page makes the connection again. Until then, the last state stays.
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
