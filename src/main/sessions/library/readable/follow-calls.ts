import type { EventOf, SessionEvent } from '@shared/events/events.ts';
import type { BlobRef } from '@shared/events/blob-ref.ts';

/** What a reader sees of one call of a tool or action of a recipe. */
export interface TalkCall {
  /** The model's step in its turn that asked for it. Null: a recipe's action. */
  readonly iteration: number | null;
  /** The turn's number in the session, from 1. */
  readonly turn: number;
  readonly tool: string;
  readonly label: string;
  readonly input: unknown;
  readonly status: string;
  readonly exitCode: number | null;
  readonly durationMs: number | null;
  readonly waitedMs: number;
  readonly output: string;
  /** The whole output, where `output` is cut. */
  readonly full: BlobRef | null;
  readonly at: number;
}

/** Takes the events of a log in order. Returns the call that an event ended; null: it ended none. */
export function followCalls(): { readonly take: (event: SessionEvent) => TalkCall | null } {
  const steps = new Map<string, number>();
  const asked = new Map<string, string>();
  const starts = new Map<string, EventOf<'tool-started'>>();
  let turn = 0;
  return {
    take: (event) => {
      if (event.type === 'turn-started') turn += 1;
      if (event.type === 'model-call-started') steps.set(event.callId, event.step);
      if (event.type === 'tool-call-requested') asked.set(event.toolCallId, event.callId);
      if (event.type === 'tool-started') starts.set(event.toolCallId, event);
      if (event.type !== 'tool-ended') return null;
      // What Dewpoint reads before each turn is no call of anybody.
      if (event.tool === 'gather_facts' && event.status === 'ok') return null;
      const step = steps.get(asked.get(event.toolCallId) ?? '') ?? null;
      return endedCall(event, starts.get(event.toolCallId), { step, turn });
    },
  };
}

function endedCall(
  event: EventOf<'tool-ended'>,
  started: EventOf<'tool-started'> | undefined,
  { step, turn }: { readonly step: number | null; readonly turn: number },
): TalkCall {
  const { tool, status, exitCode, durationMs, waitedMs = 0, output, full } = event;
  return {
    iteration: step,
    turn,
    tool,
    label: started?.label ?? tool,
    input: started?.input ?? null,
    status,
    exitCode,
    durationMs,
    waitedMs,
    output,
    full,
    at: started?.at ?? event.at,
  };
}

/** One line of JSON for a call, with its whole output as far as `bytesOf` has it. */
export async function callAsLine(
  call: TalkCall,
  bytesOf: (ref: BlobRef) => Promise<Uint8Array | null>,
): Promise<string> {
  const whole = call.full === null ? null : await bytesOf(call.full);
  const output = whole === null ? call.output : Buffer.from(whole).toString('utf8');
  const { turn, iteration, tool, input, status, exitCode, durationMs, at } = call;
  const result = { status, exitCode, output };
  return `${JSON.stringify({ turn, iteration, tool, arguments: input, result, durationMs, at: new Date(at).toISOString() })}\n`;
}
