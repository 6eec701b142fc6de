import type { EventOf, SessionEvent } from '@shared/events/events.ts';
import { createLogFold } from '../../sessions/journal/log-fold.ts';
import type { Journal } from '../../sessions/journal/journal.ts';
import type { EarlierCalls } from '../../tools/programs/program-calls.ts';

interface Known {
  readonly ms: number[];
  usd: number | null;
  hasAsked: boolean;
}

/** A question about a call, while it was open. Milliseconds since 1970. */
interface Question {
  readonly from: number;
  to: number;
}

interface Calls {
  readonly known: Map<string, Known>;
  /** The tool of each call that has begun. */
  readonly toolOf: Map<string, string>;
  /** The call of a tool that asked for a model call. */
  readonly askedBy: Map<string, string>;
  /** The open ones. */
  readonly questions: Map<string, Question>;
  /** The questions about each call that has not ended. */
  readonly about: Map<string, Question[]>;
}

const callsIn = createLogFold<Calls>(
  () => ({ known: new Map(), toolOf: new Map(), askedBy: new Map(), questions: new Map(), about: new Map() }),
  addEvent,
);

/** What the calls of each tool took so far, by the log. Calls that were not made, or were cut off, do not count. */
export async function readEarlierCalls(journal: Pick<Journal, 'read'>): Promise<ReadonlyMap<string, EarlierCalls>> {
  const { known } = await callsIn(journal);
  return new Map(
    [...known].map(([tool, { ms, usd, hasAsked }]) => [
      tool,
      { ms: [...ms], modelUsd: usd === null || !hasAsked || ms.length === 0 ? null : usd / ms.length },
    ]),
  );
}

function addEvent(calls: Calls, event: SessionEvent): void {
  switch (event.type) {
    case 'tool-started':
      calls.toolOf.set(event.toolCallId, event.tool);
      return;
    case 'approval-requested':
      ask(calls, event);
      return;
    case 'approval-answered': {
      const question = calls.questions.get(event.approvalId);
      if (question !== undefined) question.to = event.at;
      calls.questions.delete(event.approvalId);
      return;
    }
    case 'model-call-started':
      if (event.askedBy !== undefined) calls.askedBy.set(event.callId, event.askedBy.toolCallId);
      return;
    case 'model-call-ended': {
      const tool = calls.toolOf.get(calls.askedBy.get(event.callId) ?? '');
      if (tool === undefined) return;
      const one = knownOf(calls, tool);
      one.hasAsked = true;
      one.usd = one.usd === null || event.costUsd === null ? null : one.usd + event.costUsd;
      return;
    }
    case 'tool-ended':
      end(calls, event);
      return;
    default:
  }
}

function knownOf({ known }: Calls, tool: string): Known {
  const one = known.get(tool) ?? { ms: [], usd: 0, hasAsked: false };
  known.set(tool, one);
  return one;
}

function ask({ questions, about }: Calls, { approvalId, toolCallId, at }: EventOf<'approval-requested'>): void {
  const question = { from: at, to: at };
  questions.set(approvalId, question);
  about.set(toolCallId, [...(about.get(toolCallId) ?? []), question]);
}

function end(calls: Calls, { tool, toolCallId, status, durationMs, at, reusedFrom }: EventOf<'tool-ended'>): void {
  const questions = calls.about.get(toolCallId) ?? [];
  calls.about.delete(toolCallId);
  if (reusedFrom !== undefined || (status !== 'ok' && status !== 'error' && status !== 'timed-out')) return;
  const begin = at - durationMs;
  // The question before a call is not in its time. Questions while it ran are.
  const heldMs = questions.reduce((sum, { from, to }) => sum + Math.max(0, to - Math.max(from, begin)), 0);
  knownOf(calls, tool).ms.push(Math.max(0, durationMs - heldMs));
}
