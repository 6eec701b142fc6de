import { focusManager, QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { useState } from 'react';
import { CoreContext } from './lib/connection/core-context.ts';
import type { CoreClient } from './lib/connection/core-client.ts';
import { t } from './lib/text/translate.ts';
import { useCoreConnection } from './lib/connection/use-core-connection.ts';
import { ErrorBoundary } from './ui/layout/error-boundary.tsx';
import { LiveRegions } from './ui/notices/live-regions.tsx';
import { Notice } from './ui/notices/notice.tsx';
import { Workbench } from './workbench.tsx';

// Whoever comes back from an editor sees the window all the while, so its visibility alone tells nothing.
focusManager.setEventListener((onFocus) => {
  const focus = (): void => onFocus();
  window.addEventListener('focus', focus);
  return () => window.removeEventListener('focus', focus);
});

const queries = new QueryClient({
  defaultOptions: { queries: { retry: false, refetchOnWindowFocus: false, networkMode: 'always', staleTime: 10_000 } },
});

export function App() {
  const core = useCoreConnection();
  // While the connection is made again, the page keeps showing the last client's data.
  const [lastClient, setLastClient] = useState<CoreClient | null>(null);
  if (core.type === 'ready' && core.client !== lastClient) setLastClient(() => core.client);
  return (
    <div className="flex h-full flex-col">
      <LiveRegions />
      {core.type === 'lost' && (
        <Notice kind="warning" className="m-2">
          {t('app.lost')}
        </Notice>
      )}
      {core.type === 'refused' && (
        <Notice kind="error" className="m-2">
          {t('app.refused')}
        </Notice>
      )}
      {core.type === 'connecting' && <p className="m-auto text-soft">{t('app.connecting')}</p>}
      {lastClient !== null && (
        <QueryClientProvider client={queries}>
          <CoreContext value={lastClient}>
            <ErrorBoundary>
              <Workbench isConnected={core.type === 'ready'} />
            </ErrorBoundary>
          </CoreContext>
        </QueryClientProvider>
      )}
    </div>
  );
}
