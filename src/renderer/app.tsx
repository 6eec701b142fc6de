import { useEffect, useState } from 'react';
import { sessionStatus } from '@shared/session-state.ts';
import { Changes } from './features/changes/changes.tsx';
import { Conversation } from './features/conversation/conversation.tsx';
import { ModelBanner } from './features/models/model-banner.tsx';
import { NewTask } from './features/sessions/new-task.tsx';
import { SessionList } from './features/sessions/session-list.tsx';
import { StatusBar } from './features/status/status-bar.tsx';
import type { CoreClient } from './lib/core-client.ts';
import { useCore } from './lib/use-core.ts';
import { useSelectedSession } from './lib/use-selected-session.ts';
import { useSession } from './lib/use-session.ts';
import { useSessions } from './lib/use-sessions.ts';
import { Notice } from './ui/notice.tsx';

export function App() {
  const core = useCore();
  // What was shown stays while the connection is made again.
  const [lastClient, setLastClient] = useState<CoreClient | null>(null);
  if (core.type === 'ready' && core.client !== lastClient) setLastClient(() => core.client);
  return (
    <>
      {core.type === 'lost' && (
        <Notice kind="warning">
          The connection to Dewpoint is gone. Nothing is lost; it is tried again by itself.
        </Notice>
      )}
      {core.type === 'refused' && (
        <Notice kind="error">
          This address lacks its token, or the server was started anew. Use the address that “dewpoint serve” printed.
        </Notice>
      )}
      {core.type === 'connecting' && <p className="muted centre">Connecting …</p>}
      {lastClient !== null && <Workbench client={lastClient} />}
    </>
  );
}

function Workbench({ client }: { readonly client: CoreClient }) {
  const { load, refresh } = useSessions(client);
  const [selectedId, select] = useSelectedSession();
  const [isListOpen, setIsListOpen] = useState(false);
  const open = (sessionId: string | null): void => {
    select(sessionId);
    setIsListOpen(false);
    refresh();
  };
  const sessions = load.type === 'ready' ? load.sessions : [];
  const lastProject = sessions.find((session) => session.projectPath !== null)?.projectPath ?? '';
  return (
    <div className={isListOpen ? 'workbench list-open' : 'workbench'}>
      <button
        type="button"
        className="list-toggle"
        aria-expanded={isListOpen}
        onClick={() => setIsListOpen(!isListOpen)}
      >
        Sessions
      </button>
      <SessionList load={load} selectedId={selectedId} onSelect={open} />
      <main>
        <ModelBanner client={client} />
        {selectedId === null ? (
          <NewTask client={client} lastProject={lastProject} onStarted={open} />
        ) : (
          <SessionScreen key={selectedId} client={client} sessionId={selectedId} onStatus={refresh} />
        )}
      </main>
    </div>
  );
}

interface SessionScreenProps {
  readonly client: CoreClient;
  readonly sessionId: string;
  /** A turn began or ended: the list of sessions shows that, too. */
  readonly onStatus: () => void;
}

function SessionScreen({ client, sessionId, onStatus }: SessionScreenProps) {
  const load = useSession(client, sessionId);
  const status = load.type === 'ready' ? sessionStatus(load.view.state) : 'new';
  useEffect(() => onStatus(), [status, onStatus]);
  if (load.type === 'loading') return <p className="muted centre">Opening the session …</p>;
  if (load.type === 'failed') return <Notice kind="error">The session could not be opened. {load.text}</Notice>;
  const { state, money } = load.view;
  return (
    <>
      <Conversation
        client={client}
        sessionId={sessionId}
        view={load.view}
        changes={<Changes client={client} sessionId={sessionId} state={state} />}
      />
      <StatusBar state={state} money={money} />
    </>
  );
}
