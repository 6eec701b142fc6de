import type { PlanItem } from '@shared/events/conversation-events.ts';
import { carriedSteps } from '@shared/session/plan-steps.ts';
import type { MessageState, SessionState, StepState, ToolCallState, TurnState } from '@shared/session/session-state.ts';

/** One line of a turn, in the order in which things began. */
export type TimelineRow =
  | {
      readonly type: 'step';
      readonly key: string;
      readonly at: number;
      readonly step: StepState;
      readonly calls: readonly ToolCallState[];
      readonly turn: TurnState;
    }
  | {
      readonly type: 'action';
      readonly key: string;
      readonly at: number;
      readonly action: ToolCallState;
      readonly turn: TurnState;
    }
  /** A strategy or model that was chosen during the turn. The first one is no row; the turn began with it. */
  | {
      readonly type: 'stage';
      readonly key: string;
      readonly at: number;
      readonly chosen: TurnState['stages'][number];
      readonly turn: TurnState;
    }
  /** The progress of a recipe at this point. */
  | {
      readonly type: 'note';
      readonly key: string;
      readonly at: number;
      readonly note: ProgressState;
      readonly turn: TurnState;
    }
  /** A message that arrived during the turn. */
  | {
      readonly type: 'message';
      readonly key: string;
      readonly at: number;
      readonly message: MessageState;
      readonly isWaiting: boolean;
    };

type ProgressState = SessionState['progress'][number];

/** An item of a plan. No state: its progress was not reported. */
export interface ShownItem {
  readonly text: string;
  readonly state: PlanItem['state'] | null;
}

export interface TurnTimeline {
  readonly turn: TurnState;
  readonly message: MessageState | null;
  readonly rows: readonly TimelineRow[];
  /** The items of the plan that the turn carries out; null when it carries out none. */
  readonly planItems: readonly ShownItem[] | null;
}

/** The input of a timeline: a folded state, or a part of its past. */
export type TimelineParts = Pick<SessionState, 'turns' | 'messages' | 'steps' | 'toolCalls' | 'actions'> &
  Partial<Pick<SessionState, 'queued' | 'progress'>>;

/** The turns of a session with everything that happened in each. `opening`: the messages that the turns are about. */
export function timelineOf(
  state: TimelineParts,
  opening: ReadonlySet<string> = new Set(state.turns.map((turn) => turn.messageId)),
): readonly TurnTimeline[] {
  const waiting = new Set((state.queued ?? []).map((message) => message.messageId));
  const late = state.messages.filter((message) => !opening.has(message.messageId));
  const callsById = new Map(state.toolCalls.map((call) => [call.toolCallId, call]));
  const messages = new Map(state.messages.map((message) => [message.messageId, message]));
  const steps = grouped(state.steps);
  const actions = grouped(state.actions);
  return state.turns.map((turn, index) => {
    const next = state.turns[index + 1];
    const isHere = (at: number): boolean => at >= turn.startedAt && (next === undefined || at < next.startedAt);
    const rows: TimelineRow[] = [
      ...turn.stages.slice(1).map((chosen, stage) => ({
        type: 'stage' as const,
        key: `stage-${turn.id}-${stage}`,
        at: chosen.at,
        chosen,
        turn,
      })),
      ...(steps.get(turn.id) ?? []).map((step) => stepRow(step, turn, callsById)),
      ...(actions.get(turn.id) ?? []).map((action) => ({
        type: 'action' as const,
        key: action.toolCallId,
        at: action.startedAt ?? 0,
        action,
        turn,
      })),
      ...notesOf(state, turn),
      ...late
        .filter((message) => isHere(message.at))
        .map((message) => ({
          type: 'message' as const,
          key: message.messageId,
          at: message.at,
          message,
          isWaiting: waiting.has(message.messageId),
        })),
    ];
    // The sort is stable, and each list is already in order.
    rows.sort((left, right) => left.at - right.at);
    const message = messages.get(turn.messageId) ?? null;
    return { turn, message, rows, planItems: planItemsOf(turn, message) };
  });
}

function grouped<T extends { readonly turnId: string | null }>(items: readonly T[]): ReadonlyMap<string, readonly T[]> {
  const groups = new Map<string, T[]>();
  for (const item of items) {
    if (item.turnId === null) continue;
    const group = groups.get(item.turnId);
    if (group === undefined) groups.set(item.turnId, [item]);
    else group.push(item);
  }
  return groups;
}

function stepRow(step: StepState, turn: TurnState, callsById: ReadonlyMap<string, ToolCallState>): TimelineRow {
  const calls = step.toolCallIds.flatMap((id) => callsById.get(id) ?? []);
  return { type: 'step', key: step.callId, at: step.startedAt, step, calls, turn };
}

/** Only the latest line of each phase is kept. */
function notesOf({ progress = [], steps, actions }: TimelineParts, turn: TurnState): readonly TimelineRow[] {
  const own = progress.filter(({ turnId }) => turnId === turn.id);
  const begins = [...steps, ...actions]
    .filter(({ turnId }) => turnId === turn.id)
    .map(({ startedAt }) => startedAt ?? 0);
  const isOver = (note: ProgressState, next: ProgressState | undefined): boolean =>
    next !== undefined && next.phase === note.phase && !begins.some((at) => at > note.at && at <= next.at);
  return own
    .filter((note, index) => !isOver(note, own[index + 1]))
    .map((note) => ({ type: 'note', key: `note-${note.seq}`, at: note.at, note, turn }));
}

function planItemsOf(turn: TurnState, message: MessageState | null): TurnTimeline['planItems'] {
  if (turn.planItems !== undefined || turn.mode === 'plan' || message === null) return turn.planItems ?? null;
  return carriedSteps(message.text)?.map((text) => ({ text, state: null })) ?? null;
}
