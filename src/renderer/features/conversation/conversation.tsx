import type { ReactNode } from 'react';
import { useCallback, useImperativeHandle, useMemo, useRef, useState } from 'react';
import type { Ref } from 'react';
import { changeStatus } from '@shared/session-changes.ts';
import { sessionStatus } from '@shared/session-state.ts';
import type { SessionState } from '@shared/session-state.ts';
import { announce } from '../../lib/announce.ts';
import type { ConversationRow } from '../../lib/conversation-rows.ts';
import { canFold, conversationRows } from '../../lib/conversation-rows.ts';
import type { LiveFeed } from '../../lib/live-feed.ts';
import { plural, t } from '../../lib/texts.ts';
import { timelineOf } from '../../lib/timeline.ts';
import type { SessionView } from '../../lib/use-session.ts';
import { useStickToBottom } from '../../lib/use-stick-to-bottom.ts';
import { Button } from '../../ui/button.tsx';
import { Empty } from '../../ui/facts.tsx';
import { Icon } from '../../ui/icon.tsx';
import { RowView } from './row-view.tsx';
import { rowId } from './row-id.ts';
import { VirtualRows } from './virtual-rows.tsx';

/** What others can ask of the conversation. */
export interface ConversationHandle {
  /** Brings the row of a message, call or turn into view, opened. */
  readonly reveal: (id: string) => void;
  readonly toEnd: () => void;
}

interface ConversationProps {
  readonly sessionId: string;
  readonly view: SessionView;
  readonly handle: Ref<ConversationHandle>;
  /** The changes are to be looked at. */
  readonly onReview: () => void;
}

/** The log of a session as it is read: messages, steps, actions and ends, in order. */
export function Conversation({ sessionId, view, handle, onReview }: ConversationProps) {
  const { state, feed } = view;
  const scroller = useRef<HTMLDivElement>(null);
  const content = useRef<HTMLDivElement>(null);
  const { isAtEnd, toEnd, release } = useStickToBottom(scroller, content);
  const folds = useFolds(state);
  const open = useOpenRows();
  const rows = useMemo(() => conversationRows(state, folds.isFolded), [state, folds.isFolded]);
  const [target, setTarget] = useState<{ readonly index: number } | null>(null);

  const reveal = (id: string): void => {
    const { key, turnId } = placeOf(state, id);
    if (turnId !== null) folds.unfold(turnId);
    // After a fold is gone there are more rows than now.
    const opened = conversationRows(state, (candidate) => candidate !== turnId && folds.isFolded(candidate));
    const index = opened.findIndex((row) => row.key === key);
    if (index < 0) {
      announce({ kind: 'info', text: t('search.earlier') });
      return;
    }
    open.show(key);
    release();
    setTarget({ index });
    setTimeout(() => focusRow(key), 60);
  };
  useImperativeHandle(handle, () => ({ reveal, toEnd }));

  const draw = (row: ConversationRow): ReactNode => (
    <RowView
      row={row}
      sessionId={sessionId}
      feed={feedFor(row, feed)}
      isOpen={open.ids.has(row.key)}
      onToggle={open.toggle}
      onUnfold={folds.unfold}
      lastSaid={lastSaidOf(state, row)}
    />
  );
  return (
    <div className="relative min-h-0 flex-1">
      <div
        ref={scroller}
        role="log"
        aria-label={t('session.log')}
        aria-busy={sessionStatus(state) === 'running'}
        // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- a keyboard must be able to scroll it
        tabIndex={0}
        className="h-full overflow-y-auto outline-offset-[-2px]"
      >
        <div ref={content} className="mx-auto w-full max-w-3xl px-5 pt-2 pb-6">
          {rows.length === 0 && <Empty>{t('session.empty')}</Empty>}
          <VirtualRows rows={rows} scroller={scroller} draw={draw} target={target} />
          <ToReview state={state} onReview={onReview} />
        </div>
      </div>
      {!isAtEnd && <ToLatest onClick={toEnd} />}
    </div>
  );
}

function ToLatest({ onClick }: { readonly onClick: () => void }) {
  return (
    <Button
      size="icon"
      aria-label={t('session.latest')}
      title={t('session.latest')}
      className="absolute bottom-3 left-1/2 -translate-x-1/2 rounded-full shadow-float"
      onClick={onClick}
    >
      <Icon name="down" />
    </Button>
  );
}

/** What was changed and not looked at yet, once nothing runs. */
function ToReview({ state, onReview }: { readonly state: SessionState; readonly onReview: () => void }) {
  const open = state.changes.filter((change) => changeStatus(change) === 'pending');
  if (open.length === 0 || sessionStatus(state) === 'running') return null;
  return (
    <div className="mt-4 flex items-center gap-3 rounded-lg border border-line px-3 py-2 text-sm">
      <span className="font-medium">{plural('turn.changed', open.length)}</span>
      <span className="min-w-0 flex-1 truncate font-mono text-xs text-soft">
        {open.map((change) => change.path).join(', ')}
      </span>
      <Button size="small" onClick={onReview}>
        {t('turn.review')}
      </Button>
    </div>
  );
}

/** The row of a message, a model call, a tool call, an action or a turn, and the turn that has to be unfolded for it. */
function placeOf(state: SessionState, id: string): { readonly key: string; readonly turnId: string | null } {
  const call = state.toolCalls.find((one) => one.toolCallId === id);
  const key = call?.callId ?? id;
  const step = state.steps.find((one) => one.callId === key);
  const action = state.actions.find((one) => one.toolCallId === key);
  const isTurn = state.turns.some((turn) => turn.id === id);
  return { key: isTurn ? `after-${id}` : key, turnId: step?.turnId ?? action?.turnId ?? null };
}

function focusRow(callId: string): void {
  const row = document.getElementById(rowId(callId));
  row?.scrollIntoView({ block: 'center' });
  row?.focus({ preventScroll: true });
}

/** Rows that nothing live belongs to are not drawn again with every token. */
function feedFor(row: ConversationRow, feed: LiveFeed): LiveFeed | null {
  if (row.type === 'step') {
    return row.step.end === null || row.calls.some((call) => call.status === null) ? feed : null;
  }
  return row.type === 'action' && row.action.status === null ? feed : null;
}

/** What the end of a step's turn says: the step does not say it a second time. */
function lastSaidOf(state: SessionState, row: ConversationRow): string | null {
  if (row.type !== 'step') return null;
  const turn = state.turns.find((candidate) => candidate.id === row.step.turnId);
  return turn === undefined || turn.reason === null ? null : turn.text;
}

interface Folds {
  readonly isFolded: (turnId: string) => boolean;
  readonly unfold: (turnId: string) => void;
}

/** Turns that were over when the session was opened are folded, but for the last; what is open stays so. */
function useFolds(state: SessionState): Folds {
  const [folded, setFolded] = useState<ReadonlySet<string>>(
    () =>
      new Set(
        timelineOf(state)
          .slice(0, -1)
          .filter(canFold)
          .map(({ turn }) => turn.id),
      ),
  );
  const isFolded = useCallback((turnId: string) => folded.has(turnId), [folded]);
  const unfold = useCallback((turnId: string) => {
    setFolded((before) => (before.has(turnId) ? new Set([...before].filter((id) => id !== turnId)) : before));
  }, []);
  return { isFolded, unfold };
}

interface OpenRows {
  readonly ids: ReadonlySet<string>;
  readonly toggle: (id: string) => void;
  readonly show: (id: string) => void;
}

function useOpenRows(): OpenRows {
  const [ids, setIds] = useState<ReadonlySet<string>>(new Set());
  const toggle = useCallback((id: string) => {
    setIds((before) => (before.has(id) ? new Set([...before].filter((one) => one !== id)) : new Set([...before, id])));
  }, []);
  const show = useCallback((id: string) => setIds((before) => new Set([...before, id])), []);
  return { ids, toggle, show };
}
