import type { ReactNode } from 'react';
import { Fragment, useCallback, useImperativeHandle, useMemo, useRef, useState } from 'react';
import type { Ref } from 'react';
import { FilePath } from '../../ui/content/file-path.tsx';
import { areAllUndone, changeStatus } from '@shared/session/file-change-state.ts';
import { sessionStatus } from '@shared/session/session-state.ts';
import type { SessionState } from '@shared/session/session-state.ts';
import { seenName } from '@shared/text/seen-text.ts';
import type { ConversationRow } from '../../lib/session/conversation-rows.ts';
import { conversationRows } from '../../lib/session/conversation-rows.ts';
import type { LiveFeed } from '../../lib/session/live-feed.ts';
import { plural, t } from '../../lib/text/translate.ts';
import type { LookUp, SessionView } from '../../lib/session/use-session.ts';
import { useBranchesAgain } from '../../lib/session/branches.ts';
import { useStickToBottom } from '../../lib/drawing/use-stick-to-bottom.ts';
import { useWholeTexts } from '../../lib/session/use-whole-texts.ts';
import { MemoryOfContext } from '../../lib/window/navigation.ts';
import { useProjectKey } from '../../lib/window/use-projects.ts';
import { Button } from '../../ui/controls/button.tsx';
import { Empty } from '../../ui/layout/facts.tsx';
import { Icon } from '../../ui/layout/icon.tsx';
import { ResumeOffer, CloudReviewOffer } from './offers/turn-offer.tsx';
import { BlockedTurnOffer } from './offers/blocked-turn-offer.tsx';
import { RowView } from './row-view.tsx';
import { WaitingSinceContext } from './turns/work-line.tsx';
import { ImageModelOffer } from './offers/image-model-offer.tsx';
import { useFolds } from './use-folds.ts';
import type { RevealedPlace } from './use-reveal.ts';
import { useReveal } from './use-reveal.ts';
import { VirtualRows } from './virtual-rows.tsx';

/** What other parts of the page can do with the conversation. */
export interface ConversationHandle {
  /** Scrolls to the row of a message, call or turn, and opens it. */
  readonly reveal: (place: RevealedPlace) => void;
  readonly toEnd: () => void;
}

interface ConversationProps {
  readonly sessionId: string;
  readonly view: SessionView;
  /** Loads turns that the view does not have. */
  readonly lookUp: LookUp;
  readonly handle: Ref<ConversationHandle>;
  /** Opens the changes for review. */
  readonly onReview: () => void;
}

/** The conversation of a session: messages, steps, actions and ends of turns, in order. */
export function Conversation({ sessionId, view, lookUp, handle, onReview }: ConversationProps) {
  const { state, feed } = view;
  const scroller = useRef<HTMLDivElement>(null);
  const content = useRef<HTMLDivElement>(null);
  const { isAtEnd, toEnd, release } = useStickToBottom(scroller, content);
  const folds = useFolds();
  const open = useOpenRows();
  const { texts, want } = useWholeTexts(sessionId);
  const { history } = view;
  useBranchesAgain(sessionId, state.messages.at(-1)?.messageId ?? null, state.turns.at(-1)?.reason === null);
  const { isOpen } = folds;
  const openRows = open.ids;
  const rows = useMemo(
    () => conversationRows({ state, history }, { isOpen, texts, openRows }),
    [state, history, isOpen, texts, openRows],
  );
  const { target, reveal, revealHeading } = useReveal({ view, rows, folds, lookUp, show: open.show, release });
  useImperativeHandle(handle, () => ({ reveal, toEnd }));

  const draw = (row: ConversationRow): ReactNode => (
    <RowView
      row={row}
      sessionId={sessionId}
      feed={feedFor(row, feed)}
      isOpen={open.ids.has(row.key)}
      onToggle={open.toggle}
      onFold={folds.toggle}
      onLookUp={lookUp}
      onHeading={revealHeading}
      onWanted={want}
      whole={texts.get(turnIdOf(row))}
      lastSaid={lastSaidOf(row)}
    />
  );
  return (
    <div className="relative min-h-0 flex-1">
      <div
        ref={scroller}
        role="log"
        aria-label={t('session.log')}
        // Words stream in and rows come and go with scrolling, so another element makes the announcements.
        aria-live="off"
        aria-busy={sessionStatus(state) === 'running'}
        // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- a keyboard must be able to scroll it
        tabIndex={0}
        className="h-full overflow-y-auto outline-offset-[-2px]"
      >
        <div ref={content} className="mx-auto w-full max-w-3xl px-5 pt-2 pb-6">
          {rows.length === 0 && <Empty>{t('session.empty')}</Empty>}
          <MemoryOfContext value={useProjectKey(state)}>
            <WaitingSinceContext value={state.waitingSince}>
              <VirtualRows rows={rows} scroller={scroller} draw={draw} target={target} />
            </WaitingSinceContext>
          </MemoryOfContext>
          <BlockedTurnOffer {...{ sessionId, state }} onSent={toEnd} />
          <ResumeOffer {...{ sessionId, state }} onSent={toEnd} />
          <CloudReviewOffer {...{ sessionId, state }} onSent={toEnd} />
          <ImageModelOffer {...{ sessionId, state }} onSent={toEnd} />
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

/** A longer list of names would not be visible. */
const namedFiles = 10;

/** Changes that were not reviewed yet, or that none is left, once nothing runs. */
function ToReview({ state, onReview }: { readonly state: SessionState; readonly onReview: () => void }) {
  const open = state.changes.filter((change) => changeStatus(change) === 'pending');
  if (sessionStatus(state) === 'running') return null;
  // The end of a task still says that its tests passed.
  if (state.totals.changesLeftOut === 0 && areAllUndone(state.changes))
    return <p className="mt-2 text-xs text-soft">{t('turn.allUndone')}</p>;
  if (open.length === 0) return null;
  return (
    <div className="mt-4 flex items-center gap-3 rounded-lg border border-line px-3 py-2 text-sm">
      <span className="font-semibold">{plural('turn.changed', open.length)}</span>
      <span className="min-w-0 flex-1 truncate font-mono text-xs text-soft">
        {open.slice(0, namedFiles).map(({ path, after }, index) => (
          <Fragment key={path}>
            {index > 0 && ', '}
            {after === null ? seenName(path) : <FilePath path={path}>{seenName(path)}</FilePath>}
          </Fragment>
        ))}
      </span>
      <Button size="small" onClick={onReview}>
        {t('turn.review')}
      </Button>
    </div>
  );
}

/** The live feed for rows that need it. Other rows do not render with every token. */
function feedFor(row: ConversationRow, feed: LiveFeed): LiveFeed | null {
  if (row.type === 'work') return row.timeline.turn.reason === null ? feed : null;
  if (row.type === 'live') return row.turn.reason === null ? feed : null;
  if (row.type === 'step') {
    return row.step.end === null || row.calls.some((call) => call.status === null) ? feed : null;
  }
  return row.type === 'action' && row.action.status === null ? feed : null;
}

/** The final text of a step's turn. The step does not repeat it. */
function lastSaidOf(row: ConversationRow): string | null {
  return row.type !== 'step' || row.turn.reason === null ? null : row.turn.text;
}

/** The turn whose end a row shows. */
function turnIdOf(row: ConversationRow): string {
  if (row.type === 'after') return row.timeline.turn.id;
  return row.type === 'said' ? row.turn.id : '';
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
