import type { MessageState, NoticeState, SessionState, ToolCallState, TurnState } from '@shared/session-state.ts';
import { timelineOf } from './timeline.ts';
import type { TimelineRow, TurnTimeline } from './timeline.ts';

/** What the conversation shows, from top to bottom, one entry a row. */
export type ConversationRow =
  | { readonly type: 'earlier'; readonly key: string; readonly count: number }
  | {
      readonly type: 'message';
      readonly key: string;
      readonly message: MessageState;
      readonly isWaiting: boolean;
    }
  | { readonly type: 'before'; readonly key: string; readonly turn: TurnState }
  | { readonly type: 'folded'; readonly key: string; readonly turn: TurnState }
  | Extract<TimelineRow, { readonly type: 'step' }>
  | { readonly type: 'action'; readonly key: string; readonly at: number; readonly action: ToolCallState }
  | { readonly type: 'after'; readonly key: string; readonly timeline: TurnTimeline }
  | { readonly type: 'notice'; readonly key: string; readonly notice: NoticeState };

/** Turns with at most this many rows are never folded. */
const smallTurn = 8;

/** Whether the rows of a turn that is over may be folded into one line. */
export function canFold(timeline: TurnTimeline): boolean {
  return timeline.turn.reason !== null && timeline.rows.length > smallTurn;
}

/** `isFolded`: decides for the turns that can be folded. */
export function conversationRows(
  state: SessionState,
  isFolded: (turnId: string) => boolean,
): readonly ConversationRow[] {
  const timelines = timelineOf(state);
  const rows: ConversationRow[] = [];
  const earlier = state.totals.turns - state.turns.length;
  if (earlier > 0) rows.push({ type: 'earlier', key: 'earlier', count: earlier });
  for (const timeline of timelines) rows.push(...turnRows(timeline, canFold(timeline) && isFolded(timeline.turn.id)));
  // A message that waits for a turn which has not begun yet belongs to none.
  const placed = new Set(rows.map((row) => row.key));
  for (const message of state.queued) {
    if (!placed.has(message.messageId)) {
      rows.push({ type: 'message', key: message.messageId, message, isWaiting: true });
      placed.add(message.messageId);
    }
  }
  for (const message of state.messages) {
    const { messageId, isDropped = false } = message;
    if (placed.has(messageId) || !(isDropped || state.pending.includes(messageId))) continue;
    rows.push({ type: 'message', key: messageId, message, isWaiting: false });
  }
  for (const notice of state.notices) rows.push({ type: 'notice', key: `notice-${notice.seq}`, notice });
  return rows;
}

function turnRows(timeline: TurnTimeline, isFolded: boolean): readonly ConversationRow[] {
  const { turn, message, rows } = timeline;
  const first: ConversationRow[] =
    message === null ? [] : [{ type: 'message', key: message.messageId, message, isWaiting: false }];
  const before: ConversationRow[] =
    turn.rungs.length === 0 && turn.before === null ? [] : [{ type: 'before', key: `before-${turn.id}`, turn }];
  const middle: readonly ConversationRow[] = isFolded
    ? [{ type: 'folded', key: `folded-${turn.id}`, turn }, ...rows.filter((row) => row.type === 'message')]
    : rows;
  return [...first, ...before, ...middle, { type: 'after', key: `after-${turn.id}`, timeline }];
}
