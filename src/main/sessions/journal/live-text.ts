import type { SessionEvent, Transient } from '@shared/events/events.ts';

/** The text and output of running calls, for subscribers that join in the middle. */
export interface RunningText {
  readonly take: (transient: Transient) => void;
  /** Drops what the event now holds completely. */
  readonly settle: (event: SessionEvent) => void;
  /** Everything so far, as few transients. The new ones follow. */
  readonly soFar: () => readonly Transient[];
}

interface RunningCall {
  text: string;
  textPieces: number;
  reasoning: string;
  reasoningPieces: number;
  progress: Extract<Transient, { type: 'call-progress' }> | null;
}

/** How many characters are kept, at least, from the end of an answer and of an output. */
const kept = { text: 200_000, output: 16_000 } as const;

export function createRunningText(): RunningText {
  const calls = new Map<string, RunningCall>();
  const outputs = new Map<string, Extract<Transient, { type: 'output-chunk' }>>();
  const callOf = (callId: string): RunningCall => {
    const known = calls.get(callId);
    if (known !== undefined) return known;
    const fresh = { text: '', textPieces: 0, reasoning: '', reasoningPieces: 0, progress: null };
    calls.set(callId, fresh);
    return fresh;
  };
  return {
    take: (transient) => {
      if (transient.type === 'output-chunk') {
        const { toolCallId, text } = transient;
        const before = outputs.get(toolCallId)?.text ?? '';
        outputs.set(toolCallId, { ...transient, text: (before + text).slice(-kept.output) });
      } else takeIntoCall(callOf(transient.callId), transient);
    },
    settle: (event) => {
      if (event.type === 'model-call-ended') calls.delete(event.callId);
      if (event.type === 'tool-ended') outputs.delete(event.toolCallId);
      if (event.type !== 'turn-ended') return;
      calls.clear();
      outputs.clear();
    },
    soFar: () => [...[...calls].flatMap(([callId, call]) => transientsOf(callId, call)), ...outputs.values()],
  };
}

function takeIntoCall(call: RunningCall, transient: Exclude<Transient, { type: 'output-chunk' }>): void {
  switch (transient.type) {
    case 'text-delta':
      call.text = ending(call.text + transient.text);
      call.textPieces += transient.pieces ?? 1;
      return;
    case 'reasoning-delta':
      call.reasoning = ending(call.reasoning + transient.text);
      call.reasoningPieces += transient.pieces ?? 1;
      return;
    case 'call-progress':
      call.progress = transient;
      return;
    default:
      transient satisfies never;
  }
}

/** Cuts rarely, because cutting with every token would copy the whole text each time. */
function ending(text: string): string {
  return text.length > 2 * kept.text ? text.slice(-kept.text) : text;
}

function transientsOf(callId: string, call: RunningCall): readonly Transient[] {
  const { text, textPieces, reasoning, reasoningPieces, progress } = call;
  return [
    ...(progress === null ? [] : [progress]),
    ...(reasoning === ''
      ? []
      : [{ type: 'reasoning-delta' as const, callId, text: reasoning, pieces: reasoningPieces }]),
    ...(text === '' ? [] : [{ type: 'text-delta' as const, callId, text, pieces: textPieces }]),
  ];
}
