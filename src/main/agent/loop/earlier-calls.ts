import type { SessionEvent } from '@shared/events/events.ts';
import type { EarlierCalls } from '../../tools/programs/program-calls.ts';

interface Known {
  readonly ms: number[];
  usd: number | null;
  hasAsked: boolean;
}

/** What the calls of each tool took so far, by the log. Calls that were not made, or were cut off, do not count. */
export async function readEarlierCalls(
  events: AsyncIterable<SessionEvent>,
): Promise<ReadonlyMap<string, EarlierCalls>> {
  const known = new Map<string, Known>();
  const toolOf = new Map<string, string>();
  const askedBy = new Map<string, string>();
  const questions = new Map<string, { readonly toolCallId: string; readonly from: number; to: number }>();
  const of = (tool: string): Known => {
    const one = known.get(tool) ?? { ms: [], usd: 0, hasAsked: false };
    known.set(tool, one);
    return one;
  };
  for await (const event of events) {
    if (event.type === 'tool-started') toolOf.set(event.toolCallId, event.tool);
    if (event.type === 'approval-requested')
      questions.set(event.approvalId, { toolCallId: event.toolCallId, from: event.at, to: event.at });
    const question = event.type === 'approval-answered' ? questions.get(event.approvalId) : undefined;
    if (question !== undefined) question.to = event.at;
    if (event.type === 'model-call-started' && event.askedBy !== undefined)
      askedBy.set(event.callId, event.askedBy.toolCallId);
    if (event.type === 'model-call-ended') {
      const tool = toolOf.get(askedBy.get(event.callId) ?? '');
      if (tool === undefined) continue;
      const one = of(tool);
      one.hasAsked = true;
      one.usd = one.usd === null || event.costUsd === null ? null : one.usd + event.costUsd;
    }
    if (event.type !== 'tool-ended' || event.reusedFrom !== undefined) continue;
    const { tool, toolCallId, status, durationMs, at } = event;
    if (status !== 'ok' && status !== 'error' && status !== 'timed-out') continue;
    const begin = at - durationMs;
    // The question before a call is not in its time. Questions while it ran are.
    const heldMs = [...questions.values()]
      .filter((one) => one.toolCallId === toolCallId)
      .reduce((sum, { from, to }) => sum + Math.max(0, to - Math.max(from, begin)), 0);
    of(tool).ms.push(Math.max(0, durationMs - heldMs));
  }
  return new Map(
    [...known].map(([tool, { ms, usd, hasAsked }]) => [
      tool,
      { ms, modelUsd: usd === null || !hasAsked || ms.length === 0 ? null : usd / ms.length },
    ]),
  );
}
