import type { ReactNode } from 'react';
import { useMemo, useRef } from 'react';
import { sessionStatus } from '@shared/session-state.ts';
import type { CoreClient } from '../../lib/core-client.ts';
import { timelineOf } from '../../lib/timeline.ts';
import type { SessionView } from '../../lib/use-session.ts';
import { useStickToBottom } from '../../lib/use-stick-to-bottom.ts';
import { Notice } from '../../ui/notice.tsx';
import { Approvals } from './approvals.tsx';
import { Composer } from './composer.tsx';
import { DotsStrip } from './dots-strip.tsx';
import { TurnView } from './turn-view.tsx';

interface ConversationProps {
  readonly client: CoreClient;
  readonly sessionId: string;
  readonly view: SessionView;
  /** Shown after the last turn: what it changed. */
  readonly changes: ReactNode;
}

export function Conversation({ client, sessionId, view, changes }: ConversationProps) {
  const { state, feed } = view;
  const turns = useMemo(() => timelineOf(state), [state]);
  const scroller = useRef<HTMLDivElement>(null);
  const content = useRef<HTMLDivElement>(null);
  useStickToBottom(scroller, content);
  const status = sessionStatus(state);
  return (
    <section className="conversation" aria-label="Session">
      <header className="session-header">
        <h1>{state.title === '' ? 'Untitled' : state.title}</h1>
        <p className="muted session-path">{state.projectPath ?? state.workspace?.path}</p>
        <DotsStrip steps={state.steps} />
      </header>
      <div
        className="timeline"
        role="log"
        aria-label="What happened"
        aria-busy={status === 'running'}
        // A keyboard must be able to scroll what a mouse can.
        // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex
        tabIndex={0}
        ref={scroller}
      >
        <div className="timeline-content" ref={content}>
          {turns.length === 0 && <p className="muted">Nothing has happened here yet.</p>}
          {turns.map((timeline) => (
            <TurnView key={timeline.turn.id} timeline={timeline} feed={feed} />
          ))}
          {state.notices.map((notice) => (
            <Notice key={notice.seq} kind={notice.level}>
              {notice.text}
            </Notice>
          ))}
          {changes}
        </div>
      </div>
      <Approvals client={client} sessionId={sessionId} approvals={state.approvals} />
      <Composer client={client} sessionId={sessionId} isRunning={status === 'running'} />
    </section>
  );
}
