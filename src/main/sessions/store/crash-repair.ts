import type { NewEvent } from '@shared/events/events.ts';
import { noUsage } from '@shared/money/token-cost.ts';
import type { MessageState, SessionState, StepState, ToolCallState, TurnState } from '@shared/session/session-state.ts';
import type { RestoreState } from '@shared/session/restore-state.ts';
import { waitingResultText, openQuestionInWords } from '@shared/tools/person-question.ts';
import type { Blobs } from '../blobs/blob-store.ts';
import { diffImages, hasMode, matchesImage } from '../changes/move-file.ts';
import { createSafeFolder } from '../changes/safe-folder.ts';
import { type TouchedFiles, touchedFilesText } from './touched-files.ts';

/** The error code of a model call that was cut off by the end of the process. */
export const crashedNoticeCode = 'crashed';

/**
 * The events to append when a session is opened that was cut off: everything that started and did not end gets its end,
 * as far as it can be known. Nothing is run again. Whether a started side effect happened is `unknown`. Empty for a
 * session that ended well. `touched`: changes to the workspace since the first open call, if it could be searched.
 */
export function crashRepairEvents(state: SessionState, touched: TouchedFiles | null): readonly NewEvent[] {
  const calls = openCalls(state);
  const questions = openQuestions(state);
  const steps = state.steps.filter((step) => step.end === null);
  const turns = state.turns.filter((turn) => turn.reason === null);
  const left = state.messages.filter(({ messageId }) => state.pending.includes(messageId));
  return [
    ...calls.map((call) => endToolCall(call, questions.get(call.toolCallId) ?? null, touched)),
    ...steps.map(endModelCall),
    ...turns.map((turn) => endTurn(turn, state, questions)),
    ...left.flatMap(dropMessage),
    ...(state.restores ?? []).filter(({ end }) => end === null).map(endRestore),
  ];
}

/** Each file that it had set back has an event of its own. */
function endRestore({ seq }: RestoreState): NewEvent {
  return { type: 'restore-ended', beganSeq: seq, outcome: 'interrupted', restored: [], merged: [], kept: [] };
}

/**
 * A restore logs each change before it makes it. If the program ended in between, the log tells of a change that the
 * file does not have: this event takes it back in the log. Empty if the file has it, or is something else by now.
 */
export async function takenBackInLog(
  { restores = [], changes, workspace }: Pick<SessionState, 'restores' | 'changes' | 'workspace'>,
  blobs: Pick<Blobs, 'get'>,
): Promise<readonly NewEvent[]> {
  const open = restores.find(({ end }) => end === null);
  const latest = changes.toSorted((left, right) => left.last.seq - right.last.seq).at(-1);
  if (open === undefined || workspace === null || latest === undefined || latest.last.seq < open.seq) return [];
  const { path, last } = latest;
  const now = await createSafeFolder(workspace.path)
    .look(path)
    .catch(() => null);
  if (now === null || (matchesImage(now, last.after) && hasMode(now, last.after))) return [];
  if (!matchesImage(now, last.before) || !hasMode(now, last.before)) return [];
  const [before, after] = [last.after, last.before];
  const { added, removed } = await diffImages({ getBlob: (ref) => blobs.get(ref) }, path, before, after);
  const counts = { added, removed, undoes: [last.seq] };
  return [{ type: 'file-changed', path, before, after, by: 'undo', toolCallId: null, ...counts }];
}

/** The questions of the agent that nobody has answered, in words, by the call that asks. */
function openQuestions({ approvals }: SessionState): ReadonlyMap<string, string> {
  const own = approvals.filter(({ kind, child }) => kind === 'question' && child === undefined);
  return new Map(own.map((question) => [question.toolCallId, openQuestionInWords(question)]));
}

/** A turn that was cut off at its question to the person waits for the answer, as if it had not been cut off. */
function endTurn(
  turn: TurnState,
  { steps, toolCalls }: SessionState,
  questions: ReadonlyMap<string, string>,
): NewEvent {
  const asking = toolCalls.find(({ turnId, toolCallId }) => turnId === turn.id && questions.has(toolCallId));
  if (asking !== undefined) {
    const beside = steps.find(({ callId }) => callId === asking.callId)?.end?.text.trim() ?? '';
    const asked = questions.get(asking.toolCallId) ?? '';
    return {
      type: 'turn-ended',
      turnId: turn.id,
      reason: 'waiting',
      text: beside === '' ? asked : `${beside}\n\n${asked}`,
      confidence: null,
      failure: null,
    };
  }
  return {
    type: 'turn-ended',
    turnId: turn.id,
    reason: 'crashed',
    text: 'Dewpoint ended in the middle of this turn. What it had done is kept.',
    confidence: null,
    failure: {
      code: 'internal',
      message: 'Dewpoint ended in the middle of this turn.',
      hint: 'Look at the changes, then go on or undo them.',
    },
  };
}

/** Nobody waits for the message any more. It is shown with its text, so that it can be sent again. */
function dropMessage({ messageId, text }: MessageState): readonly NewEvent[] {
  return [
    { type: 'message-dropped', messageId },
    {
      type: 'notice-added',
      level: 'warning',
      code: 'message-dropped',
      text: `Dewpoint ended before it began with this message. Send it again if it still stands: ${text}`,
    },
  ];
}

/** When the first side effect with an unknown end began. Null: there is none. */
export function firstOpenCallStartedAt(state: SessionState): number | null {
  const starts = openCalls(state).flatMap(({ startedAt }) => startedAt ?? []);
  return starts.length === 0 ? null : Math.min(...starts);
}

type OpenCall = Pick<ToolCallState, 'toolCallId' | 'tool' | 'turnId' | 'startedAt' | 'task'> & {
  readonly parent?: string;
};

/** The calls of a program come before the program itself, so they end first. */
function openCalls(state: SessionState): readonly OpenCall[] {
  const open = [...state.toolCalls, ...state.actions].filter((call) => call.status === null && call.startedAt !== null);
  return open.flatMap((call) => [
    ...(call.inner ?? [])
      .filter(({ status }) => status === null)
      .map((inner) => ({ ...inner, turnId: call.turnId, parent: call.toolCallId })),
    call,
  ]);
}

function turnOf(item: { readonly turnId: string | null }): { readonly turnId?: string } {
  return item.turnId === null ? {} : { turnId: item.turnId };
}

/** `asked`: the question that the call asks; null for another call. */
function endToolCall(call: OpenCall, asked: string | null, touched: TouchedFiles | null): NewEvent {
  const seen = asked === null ? touched : null;
  const unknown =
    asked !== null
      ? waitingResultText(asked)
      : call.task === undefined
        ? 'Dewpoint ended while this ran. Nobody knows whether it happened; it was not run again.'
        : 'Dewpoint ended while the server worked on this. It was not called again: the server is asked for it when the work goes on.';
  return {
    type: 'tool-ended',
    ...turnOf(call),
    toolCallId: call.toolCallId,
    tool: call.tool,
    ...(call.parent === undefined ? {} : { parent: call.parent }),
    status: 'unknown',
    output: seen === null ? unknown : `${unknown}\n${touchedFilesText(seen)}`,
    full: null,
    exitCode: null,
    durationMs: 0,
    data: seen === null ? null : { touched: seen },
    dataBlob: null,
  };
}

function endModelCall(step: StepState): NewEvent {
  return {
    type: 'model-call-ended',
    ...turnOf(step),
    callId: step.callId,
    parts: [],
    stopReason: 'error',
    usage: { ...noUsage, freshInput: step.promptTokens ?? 0, estimated: true },
    evaluatedTokens: null,
    timings: { queuedMs: 0, prefillMs: null, decodeMs: null, totalMs: 0 },
    price: null,
    costUsd: step.where === 'local' ? 0 : null,
    error: { code: crashedNoticeCode, message: 'Dewpoint ended while the model answered.', retryable: true },
  };
}
