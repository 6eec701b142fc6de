import { memo } from 'react';
import type { ConversationRow } from '../../lib/conversation-rows.ts';
import type { LiveFeed } from '../../lib/live-feed.ts';
import { emptyFeed } from '../../lib/live-feed.ts';
import { plural } from '../../lib/texts.ts';
import { Notice } from '../../ui/notice.tsx';
import { ActionRow } from './action-row.tsx';
import { StepRow } from './step-row.tsx';
import { FoldedTurn, Message, TurnAfter, TurnBefore } from './turn-parts.tsx';

interface RowViewProps {
  readonly sessionId: string;
  readonly row: ConversationRow;
  /** Null where nothing live belongs to the row. */
  readonly feed: LiveFeed | null;
  readonly isOpen: boolean;
  readonly onToggle: (key: string) => void;
  readonly onUnfold: (turnId: string) => void;
  /** What the end of its turn says; null while that is not known. */
  readonly lastSaid: string | null;
}

/** One row of the conversation; drawn again only when something of it changed. */
export const RowView = memo(function RowView(props: RowViewProps) {
  const { sessionId, row, isOpen, onToggle } = props;
  const { calls, outputs } = props.feed ?? emptyFeed;
  const toggle = (): void => onToggle(row.key);
  switch (row.type) {
    case 'earlier':
      return <p className="py-3 text-center text-xs text-soft">{plural('session.earlier', row.count)}</p>;
    case 'message':
      return <Message sessionId={sessionId} message={row.message} isWaiting={row.isWaiting} />;
    case 'before':
      return <TurnBefore turn={row.turn} />;
    case 'folded':
      return <FoldedTurn turn={row.turn} onUnfold={() => props.onUnfold(row.turn.id)} />;
    case 'step':
      return (
        <StepRow
          sessionId={sessionId}
          step={row.step}
          calls={row.calls}
          live={calls[row.step.callId]}
          outputs={outputs}
          isOpen={isOpen}
          onToggle={toggle}
          isSaidAgain={isSaidAgain(row.step.end?.text ?? '', props.lastSaid)}
        />
      );
    case 'action':
      return (
        <ActionRow
          sessionId={sessionId}
          action={row.action}
          liveOutput={outputs[row.action.toolCallId] ?? ''}
          isOpen={isOpen}
          onToggle={toggle}
        />
      );
    case 'after':
      return <TurnAfter sessionId={sessionId} timeline={row.timeline} />;
    case 'notice':
      return (
        <Notice kind={row.notice.level} className="mt-3">
          {row.notice.text}
        </Notice>
      );
    default:
      return row satisfies never;
  }
}, isSameRow);

/** The fold keeps only the beginning of what a step said. */
function isSaidAgain(text: string, lastSaid: string | null): boolean {
  return lastSaid !== null && lastSaid.trim().startsWith(text.replace(/…$/u, '').trim());
}

/** Rows are made anew with every event; what they are made of is not. */
function isSameRow(left: RowViewProps, right: RowViewProps): boolean {
  return (
    left.isOpen === right.isOpen &&
    left.feed === right.feed &&
    left.lastSaid === right.lastSaid &&
    left.onToggle === right.onToggle &&
    left.onUnfold === right.onUnfold &&
    (left.row === right.row || hasSameContent(left.row, right.row))
  );
}

function hasSameContent(left: ConversationRow, right: ConversationRow): boolean {
  if (left.type === 'step' && right.type === 'step') {
    return (
      left.step === right.step &&
      left.calls.every((call, index) => call === right.calls[index]) &&
      left.calls.length === right.calls.length
    );
  }
  if (left.type === 'message' && right.type === 'message') {
    return left.message === right.message && left.isWaiting === right.isWaiting;
  }
  if (left.type === 'action' && right.type === 'action') return left.action === right.action;
  if (left.type === 'after' && right.type === 'after') {
    return (
      left.timeline.turn === right.timeline.turn &&
      left.timeline.phases.length === 0 &&
      right.timeline.phases.length === 0
    );
  }
  if (left.type === 'before' && right.type === 'before') return left.turn === right.turn;
  if (left.type === 'folded' && right.type === 'folded') return left.turn === right.turn;
  return left.type === 'notice' && right.type === 'notice' && left.notice === right.notice;
}
