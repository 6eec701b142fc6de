import type {
  MessageState,
  NoticeState,
  SessionState,
  StepState,
  ToolCallState,
  TurnState,
} from '@shared/session/session-state.ts';
import { turnStatus } from '@shared/session/session-state.ts';
import { canvasToolName } from '@shared/tools/canvas.ts';
import { firstWholeTurn } from '@shared/session/session-part.ts';
import { conversationFilter, restoreId, type RestoreState } from '@shared/session/restore-state.ts';
import type { History } from './session-history.ts';
import type { AnswerHeading } from '../drawing/answer-outline.ts';
import { answerOutline } from '../drawing/answer-outline.ts';
import { textPieces } from '../drawing/text-pieces.ts';
import { isProse, isSameText, isSaying } from './step-label.ts';
import { timelineOf } from './turn-timeline.ts';
import type { TimelineParts, TimelineRow, TurnTimeline } from './turn-timeline.ts';

/** A row of the conversation, in order from top to bottom. */
export type ConversationRow =
  /** Turns before the first one shown. Loaded when this row comes into view. `count`: null when unknown. */
  | { readonly type: 'earlier'; readonly key: string; readonly count: number | null; readonly before: number }
  /** Turns that are missing in between. The user can load those after the row above. */
  | { readonly type: 'gap'; readonly key: string; readonly from: number }
  | {
      readonly type: 'message';
      readonly key: string;
      readonly message: MessageState;
      readonly isWaiting: boolean;
    }
  /** All work of a turn in one line. The rows between it and the answer exist only while it is open. */
  | { readonly type: 'work'; readonly key: string; readonly timeline: TurnTimeline; readonly isOpen: boolean }
  | { readonly type: 'before'; readonly key: string; readonly turn: TurnState }
  /** The words of a running step, or the last words of a turn without success. */
  | { readonly type: 'live'; readonly key: string; readonly step: StepState; readonly turn: TurnState }
  | Extract<TimelineRow, { readonly type: 'step' | 'action' | 'stage' | 'note' }>
  /** A chart or image of a call, or the pictures that it made or returned. Visible even while the work is folded. */
  | {
      readonly type: 'drawn';
      readonly key: string;
      readonly at: number;
      readonly call: ToolCallState;
      readonly turn: TurnState;
    }
  /** The check after the work. */
  | { readonly type: 'check'; readonly key: string; readonly turn: TurnState }
  /** The progress of the plan. */
  | { readonly type: 'ran'; readonly key: string; readonly timeline: TurnTimeline }
  /** The headings of a long answer, above it. */
  | {
      readonly type: 'outline';
      readonly key: string;
      readonly turn: TurnState;
      readonly headings: readonly AnswerHeading[];
    }
  /** A part of a long final text. The last part is in the row of the end. */
  | { readonly type: 'said'; readonly key: string; readonly text: string; readonly turn: TurnState }
  | { readonly type: 'after'; readonly key: string; readonly timeline: TurnTimeline; readonly text: string }
  /** Turns that a restore took out of the conversation. Their rows follow while it is open. */
  | { readonly type: 'set-aside'; readonly key: string; readonly count: number }
  | {
      readonly type: 'restored';
      readonly key: string;
      readonly restore: RestoreState;
      readonly isLast: boolean;
    }
  | NoticeRow;

interface NoticeRow {
  readonly type: 'notice';
  readonly key: string;
  readonly at: number;
  readonly notice: NoticeState;
}

export interface ShownSession {
  readonly state: SessionState;
  readonly history: History;
}

export interface RowChoices {
  /** Whether the work of a turn is shown row by row. */
  readonly isOpen: (turn: TurnState) => boolean;
  /** Full texts that were loaded because the fold has only the beginning, by turn id. */
  readonly texts: ReadonlyMap<string, string>;
  /** The keys of open rows. */
  readonly openRows?: ReadonlySet<string>;
}

export function conversationRows({ state, history }: ShownSession, choices: RowChoices): readonly ConversationRow[] {
  const live = { ...state, turns: state.turns.slice(firstWholeTurn(state)) };
  const shown: readonly TimelineParts[] = [...history.parts, live];
  const opening = new Set([...shown.flatMap(({ turns }) => turns), ...state.turns].map((turn) => turn.messageId));
  const timelines = shown.map((parts) => timelineOf(parts, opening));
  const noticesOf = placedNotices(state.notices, timelines.flat());
  const rows: ConversationRow[] = [...earlierRow(state, history, live.turns), ...noticesOf(null)];
  for (const [index, parts] of shown.entries()) {
    const before = history.parts[index - 1];
    const first = parts.turns[0];
    if (before !== undefined && first !== undefined && before.toSeq < first.seq) {
      rows.push({ type: 'gap', key: `gap-${before.toSeq}`, from: before.toSeq });
    }
    rows.push(
      ...withRestores(state, timelines[index] ?? [], choices, (timeline) =>
        turnRows(timeline, noticesOf(timeline.turn), choices),
      ),
    );
  }
  return [...rows, ...looseRows(state, new Set(rows.map((row) => row.key)))];
}

interface SetAside {
  /** The index of its row. */
  readonly at: number;
  readonly key: string;
  readonly count: number;
}

/** The rows of turns, with the restores after each. Turns that a restore took out of the conversation are folded. */
function withRestores(
  { restores = [] }: SessionState,
  timelines: readonly TurnTimeline[],
  { openRows }: RowChoices,
  rowsOf: (timeline: TurnTimeline) => readonly ConversationRow[],
): readonly ConversationRow[] {
  const isShown = conversationFilter(restores);
  const rows: ConversationRow[] = [];
  let aside: SetAside | null = null;
  for (const [index, timeline] of timelines.entries()) {
    const { id, seq } = timeline.turn;
    if (isShown(seq)) aside = null;
    else {
      const before: SetAside = aside ?? { at: rows.length, key: `set-aside-${id}`, count: 0 };
      aside = { ...before, count: before.count + 1 };
      rows[aside.at] = { type: 'set-aside', key: aside.key, count: aside.count };
    }
    if (aside === null || openRows?.has(aside.key) === true) rows.push(...rowsOf(timeline));
    const next = timelines[index + 1]?.turn.seq ?? Number.POSITIVE_INFINITY;
    const since = restores.filter((restore) => restore.seq > seq && restore.seq < next);
    for (const restore of since)
      rows.push({ type: 'restored', key: restoreId(restore.seq), restore, isLast: restore === restores.at(-1) });
    if (since.length > 0) aside = null;
  }
  return rows;
}

/** The row before the first turn shown, if there are earlier turns. */
function earlierRow(
  state: SessionState,
  { parts, startSeq }: History,
  live: readonly TurnState[],
): readonly ConversationRow[] {
  const before = parts[0]?.fromSeq ?? live[0]?.seq;
  if (before === undefined || before === startSeq) return [];
  const ends = [...parts.slice(1).map((part) => part.fromSeq), live[0]?.seq ?? 0];
  const hasGap = parts.some((part, index) => part.toSeq < (ends[index] ?? 0));
  const shown = parts.reduce((sum, part) => sum + part.turns.length, live.length);
  const count = hasGap ? null : state.totals.turns - shown;
  return count !== null && count <= 0 ? [] : [{ type: 'earlier', key: 'earlier', count, before }];
}

/** Messages that belong to no turn. */
function looseRows(state: SessionState, placed: Set<string>): readonly ConversationRow[] {
  const rows: ConversationRow[] = [];
  // A message that waits for a turn that has not begun belongs to no turn.
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
  return rows;
}

/** Notices, each with the latest turn that had begun by then; null: before the first turn shown. */
function placedNotices(
  notices: readonly NoticeState[],
  timelines: readonly TurnTimeline[],
): (turn: TurnState | null) => readonly NoticeRow[] {
  const byTurn = new Map<TurnState | null, NoticeRow[]>();
  for (const notice of notices) {
    const turn = timelines.findLast((timeline) => timeline.turn.seq < notice.seq)?.turn ?? null;
    const row: NoticeRow = { type: 'notice', key: `notice-${notice.seq}`, at: notice.at, notice };
    byTurn.set(turn, [...(byTurn.get(turn) ?? []), row]);
  }
  return (turn) => byTurn.get(turn) ?? [];
}

/** Notices for the user. The others are for the model, or explain a step. */
const told: readonly string[] = ['route-degraded', 'network-back', 'background-ended'];

const isTold = ({ notice }: NoticeRow): boolean => notice.level === 'warning' || told.includes(notice.code);

function turnRows(
  timeline: TurnTimeline,
  notices: readonly NoticeRow[],
  { isOpen, texts }: RowChoices,
): readonly ConversationRow[] {
  const { turn, message } = timeline;
  const isLate = ({ at }: { readonly at: number }): boolean => turn.endedAt !== null && at > turn.endedAt;
  const isLateMessage = (row: TimelineRow): boolean => row.type === 'message' && isLate(row);
  const during = notices.filter((notice) => !isLate(notice));
  const first: ConversationRow[] =
    message === null ? [] : [{ type: 'message', key: message.messageId, message, isWaiting: false }];
  // A message from after its end waits for its own turn, below.
  const [since, rows] = [timeline.rows.filter(isLateMessage), timeline.rows.filter((row) => !isLateMessage(row))];
  const work = workRows({ ...timeline, rows }, during);
  const isShown = work.length > 0 && isOpen(turn);
  const line: ConversationRow[] =
    work.length === 0 && turn.reason !== null
      ? []
      : [{ type: 'work', key: `work-${turn.id}`, timeline, isOpen: isShown }];
  const middle = isShown
    ? work
    : work.filter((row) => row.type === 'message' || row.type === 'drawn' || (row.type === 'notice' && isTold(row)));
  const ran: ConversationRow[] = timeline.planItems === null ? [] : [{ type: 'ran', key: `ran-${turn.id}`, timeline }];
  const { said, last } = saidOf(turn, texts.get(turn.id) ?? turn.text);
  return [
    ...first,
    ...line,
    ...middle,
    ...(isShown ? [] : liveRow(timeline)),
    ...ran,
    ...said,
    { type: 'after', key: `after-${turn.id}`, timeline, text: last },
    ...[...notices.filter(isLate), ...since].sort((left, right) => left.at - right.at),
  ];
}

/** The events of a turn from its start to its final check, in order of time. */
function workRows({ turn, rows: all }: TurnTimeline, notices: readonly NoticeRow[]): readonly ConversationRow[] {
  // A chat has one fixed strategy and reads nothing beforehand.
  const isChat = turn.mode === 'chat';
  const rows = isChat ? all.filter((row) => row.type !== 'action') : all;
  const before: ConversationRow[] =
    isChat || (turn.stages.length === 0 && turn.before === null)
      ? []
      : [{ type: 'before', key: `before-${turn.id}`, turn }];
  const check: ConversationRow[] = turn.after === null ? [] : [{ type: 'check', key: `check-${turn.id}`, turn }];
  const shown = rows.flatMap((row) => [row, ...drawnRows(row)]);
  // The sort is stable.
  return [...before, ...[...shown, ...notices].sort((left, right) => left.at - right.at), ...check];
}

/** The drawings of a row. They are placed with their step or action. */
function drawnRows(row: TimelineRow): readonly Extract<ConversationRow, { type: 'drawn' }>[] {
  if (row.type !== 'step' && row.type !== 'action') return [];
  const { at, turn } = row;
  const calls = row.type === 'step' ? row.calls : [row.action];
  return calls
    .filter(hasDrawn)
    .map((call) => ({ type: 'drawn' as const, key: `drawn-${call.toolCallId}`, at, call, turn }));
}

function hasDrawn({ tool, status, pictures = [], hasTable }: ToolCallState): boolean {
  return status !== null && (pictures.length > 0 || hasTable === true || (tool === canvasToolName && status === 'ok'));
}

/** The words of the last step, until they become the turn's own. */
function liveRow({ turn, rows }: TurnTimeline): readonly ConversationRow[] {
  const last = rows.findLast((row) => row.type === 'step');
  if (last === undefined || !isProse(last.step) || turnStatus(turn) === 'done') return [];
  const { step } = last;
  const words = step.end?.text ?? '';
  const isSaid = step.end !== null && (!isSaying(step) || step.toolCallIds.length > 0 || isSameText(words, turn.text));
  return isSaid ? [] : [{ type: 'live', key: `live-${turn.id}`, step, turn }];
}

interface Said {
  readonly text: string;
  readonly said: readonly ConversationRow[];
  readonly last: string;
}

/** Rows are made again with every event, but the text of an ended turn stays the same. */
const known = new WeakMap<TurnState, Said>();

/** The rows of a text, except for its last part. */
function saidOf(turn: TurnState, text: string): Said {
  const before = known.get(turn);
  if (before?.text === text) return before;
  const pieces = textPieces(text);
  const said = pieces
    .slice(0, -1)
    .map((piece, index) => ({ type: 'said' as const, key: `said-${turn.id}-${index}`, text: piece, turn }));
  const headings = turn.reason === null ? [] : answerOutline(text, pieces);
  const outline: ConversationRow[] =
    headings.length === 0 ? [] : [{ type: 'outline', key: `outline-${turn.id}`, turn, headings }];
  const made = { text, said: [...outline, ...said], last: pieces.at(-1) ?? '' };
  known.set(turn, made);
  return made;
}
