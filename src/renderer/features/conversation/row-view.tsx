import type { ReactNode } from 'react';
import { memo, useEffect } from 'react';
import type { TurnState } from '@shared/session/session-state.ts';
import type { ConversationRow } from '../../lib/session/conversation-rows.ts';
import { isSameText } from '../../lib/session/step-label.ts';
import type { LiveFeed } from '../../lib/session/live-feed.ts';
import { emptyFeed } from '../../lib/session/live-feed.ts';
import type { LookUp } from '../../lib/session/use-session.ts';
import type { TurnTimeline } from '../../lib/session/turn-timeline.ts';
import { DrawnCall } from '../../ui/canvas/drawn-call.tsx';
import { Notice } from '../../ui/notices/notice.tsx';
import { ActionRow } from './steps/action-row.tsx';
import { StepRow } from './steps/step-row.tsx';
import { EarlierTurns } from './earlier-turns.tsx';
import {
  Message,
  RecipeNote,
  StageLine,
  TurnCheck,
  TurnEnd,
  TurnStart,
  TurnProgress,
  TurnAnswerPart,
} from './turns/turn-parts.tsx';
import { RestoredLine, SetAsideLine } from './restore/restored-line.tsx';
import { rowId } from './row-id.ts';
import type { ShowHeading } from './turns/answer-outline-list.tsx';
import { AnswerOutlineList } from './turns/answer-outline-list.tsx';
import { LiveAnswer, WorkLine } from './turns/work-line.tsx';
import { isCut } from './whole-text.tsx';

interface RowViewProps {
  readonly sessionId: string;
  readonly row: ConversationRow;
  /** Null when the row shows nothing live. */
  readonly feed: LiveFeed | null;
  readonly isOpen: boolean;
  readonly onToggle: (key: string) => void;
  /** Shows or hides the work of a turn. */
  readonly onFold: (turnId: string) => void;
  /** Loads turns that are not here. */
  readonly onLookUp: LookUp;
  readonly onHeading: ShowHeading;
  /** Asks for the whole text of a turn. */
  readonly onWanted: (turn: TurnState) => void;
  /** The whole text of the row's turn, once it was loaded. */
  readonly whole: string | undefined;
  /** The final text of its turn; null while that is not known. */
  readonly lastSaid: string | null;
}

/** One row of the conversation. Renders again only when its data changed. */
export const RowView = memo(function RowView(props: RowViewProps) {
  const { sessionId, row, isOpen, onToggle, onWanted } = props;
  const feed = props.feed ?? emptyFeed;
  const { calls, outputs } = feed;
  const toggle = (): void => onToggle(row.key);
  switch (row.type) {
    case 'earlier':
    case 'gap':
      return <EarlierTurns row={row} onLookUp={props.onLookUp} />;
    case 'message':
      return <Message sessionId={sessionId} message={row.message} isWaiting={row.isWaiting} />;
    case 'before':
      return <TurnStart turn={row.turn} />;
    case 'stage':
      return <StageLine chosen={row.chosen} />;
    case 'note':
      return <RecipeNote note={row.note} />;
    case 'work':
      return <WorkLine timeline={row.timeline} isOpen={row.isOpen} feed={feed} onFold={props.onFold} />;
    case 'live':
      return <LiveAnswer {...{ sessionId, step: row.step, turn: row.turn }} live={calls[row.step.callId]} />;
    case 'check':
      return <TurnCheck turn={row.turn} />;
    case 'step':
      return (
        <StepRow
          {...{ sessionId, isOpen, outputs, step: row.step, near: row.turn.seq, calls: row.calls }}
          live={calls[row.step.callId]}
          onToggle={toggle}
          isRepeatedAtEnd={isSameText(row.step.end?.text ?? '', props.lastSaid)}
        />
      );
    case 'action':
      return (
        <ActionRow
          {...{ sessionId, isOpen, action: row.action, near: row.turn.seq }}
          liveOutput={outputs[row.action.toolCallId] ?? ''}
          onToggle={toggle}
        />
      );
    case 'drawn':
      return <DrawnCall {...{ sessionId, call: row.call, near: row.turn.seq }} className="my-2" />;
    case 'after':
      return (
        <Wanted turn={row.timeline.turn} isHere={props.whole !== undefined} onWanted={onWanted}>
          <TurnEnd
            sessionId={sessionId}
            turn={row.timeline.turn}
            message={row.timeline.message}
            text={row.text}
            whole={props.whole ?? row.timeline.turn.text}
            onHeading={props.onHeading}
          />
        </Wanted>
      );
    case 'ran':
      return <TurnProgress sessionId={sessionId} timeline={row.timeline} />;
    case 'outline':
      return <AnswerOutlineList turnId={row.turn.id} headings={row.headings} onHeading={props.onHeading} />;
    case 'said':
      return (
        <Wanted turn={row.turn} isHere={props.whole !== undefined} onWanted={onWanted}>
          <TurnAnswerPart id={rowId(row.key)} text={row.text} isFirst={row.key.endsWith('-0')} />
        </Wanted>
      );
    case 'set-aside':
      return <SetAsideLine count={row.count} isOpen={isOpen} onToggle={toggle} />;
    case 'restored':
      return <RestoredLine {...{ sessionId, row }} />;
    case 'notice':
      return <Told notice={row.notice} />;
    default:
      return row satisfies never;
  }
}, isSameRow);

function Told({ notice: { level, text } }: Pick<Extract<ConversationRow, { type: 'notice' }>, 'notice'>) {
  return (
    <Notice kind={level} isQuiet className="mt-3">
      {text}
    </Notice>
  );
}

interface WantedProps {
  readonly turn: TurnState;
  /** Whether its whole text is loaded. */
  readonly isHere: boolean;
  readonly onWanted: (turn: TurnState) => void;
  readonly children: ReactNode;
}

/** A part of a turn's final text. When it renders, the rest that the fold has cut off is loaded. */
function Wanted({ turn, isHere, onWanted, children }: WantedProps) {
  useEffect(() => {
    if (!isHere && isCut(turn.text)) onWanted(turn);
  }, [turn, isHere, onWanted]);
  return children;
}

/** Row objects are new after each event, but the data in them is not. */
function isSameRow(left: RowViewProps, right: RowViewProps): boolean {
  return (
    left.isOpen === right.isOpen &&
    left.feed === right.feed &&
    left.lastSaid === right.lastSaid &&
    left.onToggle === right.onToggle &&
    left.onFold === right.onFold &&
    left.onLookUp === right.onLookUp &&
    left.onHeading === right.onHeading &&
    left.whole === right.whole &&
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
  if (left.type === 'drawn' && right.type === 'drawn') return left.call === right.call;
  if (left.type === 'after' && right.type === 'after') {
    return left.timeline.turn === right.timeline.turn && left.text === right.text;
  }
  if (left.type === 'ran' && right.type === 'ran') {
    return left.timeline.turn === right.timeline.turn && left.timeline.message === right.timeline.message;
  }
  if (left.type === 'said' && right.type === 'said') return left.turn === right.turn && left.text === right.text;
  if (left.type === 'outline' && right.type === 'outline') return left.headings === right.headings;
  if (left.type === 'note' && right.type === 'note') return left.note === right.note;
  if (left.type === 'stage' && right.type === 'stage') return left.chosen === right.chosen;
  if (left.type === 'before' && right.type === 'before') return left.turn === right.turn;
  if (left.type === 'work' && right.type === 'work') {
    return left.isOpen === right.isOpen && hasSameWork(left.timeline, right.timeline);
  }
  if (left.type === 'live' && right.type === 'live') return left.step === right.step && left.turn === right.turn;
  if (left.type === 'check' && right.type === 'check') return left.turn === right.turn;
  if (left.type === 'set-aside' && right.type === 'set-aside') return left.count === right.count;
  if (left.type === 'restored' && right.type === 'restored')
    return left.restore === right.restore && left.isLast === right.isLast;
  return left.type === 'notice' && right.type === 'notice' && left.notice === right.notice;
}

function hasSameWork(left: TurnTimeline, right: TurnTimeline): boolean {
  const last = left.rows.at(-1);
  const other = right.rows.at(-1);
  if (left.turn !== right.turn || left.rows.length !== right.rows.length) return false;
  if (left.turn.reason !== null) return true;
  return last === undefined || other === undefined || hasSameContent(last, other);
}
