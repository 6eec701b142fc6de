import type { SessionSummary } from '@shared/contract.ts';
import { ago, money } from '../../lib/format.ts';
import type { SessionsLoad } from '../../lib/use-sessions.ts';
import { Notice } from '../../ui/notice.tsx';

interface SessionListProps {
  readonly load: SessionsLoad;
  readonly selectedId: string | null;
  readonly onSelect: (sessionId: string | null) => void;
}

export function SessionList({ load, selectedId, onSelect }: SessionListProps) {
  return (
    <nav className="sessions" aria-label="Sessions">
      <button type="button" className="button-primary" onClick={() => onSelect(null)}>
        New task
      </button>
      <h2>Sessions</h2>
      {load.type === 'loading' && <p className="muted">Loading …</p>}
      {load.type === 'failed' && <Notice kind="error">The sessions could not be read. {load.text}</Notice>}
      {load.type === 'ready' && load.sessions.length === 0 && (
        <p className="muted">None yet. What you start here, or with “dewpoint run”, will be listed.</p>
      )}
      {load.type === 'ready' && (
        <ul>
          {load.sessions.map((session) => (
            <SessionItem
              key={session.sessionId}
              session={session}
              isSelected={session.sessionId === selectedId}
              readAt={load.readAt}
              onSelect={onSelect}
            />
          ))}
        </ul>
      )}
    </nav>
  );
}

interface SessionItemProps {
  readonly session: SessionSummary;
  readonly isSelected: boolean;
  readonly readAt: number;
  readonly onSelect: (sessionId: string) => void;
}

function SessionItem({ session, isSelected, readAt, onSelect }: SessionItemProps) {
  const { sessionId, title, projectPath, status, steps, costUsd, updatedAt } = session;
  return (
    <li>
      <button
        type="button"
        className="session-item"
        aria-current={isSelected ? 'page' : undefined}
        onClick={() => onSelect(sessionId)}
      >
        <span className="session-title">{title === '' ? 'Untitled' : title}</span>
        <span className="session-facts muted">
          {status === 'idle' ? ago(updatedAt, readAt) : status}
          {` · ${steps} ${steps === 1 ? 'step' : 'steps'} · ${money(costUsd)}`}
        </span>
        {projectPath !== null && (
          <span className="session-path muted" title={projectPath}>
            {projectPath}
          </span>
        )}
      </button>
    </li>
  );
}
