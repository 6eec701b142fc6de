import type { MessageState, SessionState, StepState, ToolCallState, TurnState } from '@shared/session-state.ts';

/** One line of a turn, in the order in which things began. */
export type TimelineRow =
  | {
      readonly type: 'step';
      readonly key: string;
      readonly at: number;
      readonly step: StepState;
      readonly calls: readonly ToolCallState[];
    }
  | { readonly type: 'action'; readonly key: string; readonly at: number; readonly action: ToolCallState }
  /** A message that came while the turn ran. */
  | {
      readonly type: 'message';
      readonly key: string;
      readonly at: number;
      readonly message: MessageState;
      readonly isWaiting: boolean;
    };

export interface TurnTimeline {
  readonly turn: TurnState;
  readonly message: MessageState | null;
  readonly rows: readonly TimelineRow[];
  /** The latest line of each phase of the recipe that ran, in order. */
  readonly phases: readonly { readonly phase: string; readonly text: string }[];
}

/** The turns of a session with what happened in each. */
export function timelineOf(state: SessionState): readonly TurnTimeline[] {
  const opening = new Set(state.turns.map((turn) => turn.messageId));
  const waiting = new Set(state.queued.map((message) => message.messageId));
  const late = state.messages.filter((message) => !opening.has(message.messageId));
  const callsById = new Map(state.toolCalls.map((call) => [call.toolCallId, call]));
  return state.turns.map((turn, index) => {
    const next = state.turns[index + 1];
    const isHere = (at: number): boolean => at >= turn.startedAt && (next === undefined || at < next.startedAt);
    const rows: TimelineRow[] = [
      ...state.steps.filter((step) => step.turnId === turn.id).map((step) => stepRow(step, callsById)),
      ...state.actions
        .filter((action) => action.turnId === turn.id)
        .map((action) => ({ type: 'action' as const, key: action.toolCallId, at: action.startedAt ?? 0, action })),
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
    // Sorting keeps the order of equals, and each list is in order already.
    rows.sort((left, right) => left.at - right.at);
    const message = state.messages.find((candidate) => candidate.messageId === turn.messageId) ?? null;
    return { turn, message, rows, phases: phasesOf(state, turn) };
  });
}

function stepRow(step: StepState, callsById: ReadonlyMap<string, ToolCallState>): TimelineRow {
  const calls = step.toolCallIds.flatMap((id) => callsById.get(id) ?? []);
  return { type: 'step', key: step.callId, at: step.startedAt, step, calls };
}

function phasesOf(state: SessionState, turn: TurnState): TurnTimeline['phases'] {
  const phases = new Map<string, string>();
  for (const entry of state.progress) if (entry.turnId === turn.id) phases.set(entry.phase, entry.text);
  return [...phases].map(([phase, text]) => ({ phase, text }));
}
