import type { EventOf } from '@shared/events/events.ts';
import type { Part } from '@shared/models/model-messages.ts';
import type { Tool } from '../../tools/define.ts';
import type { EffectRecord } from '../../sessions/journal/journal.ts';
import { parseCalls } from '../calls/parse-calls.ts';
import type { CallError, CallStyle, ParsedCall } from '../calls/call-types.ts';
import { deliverMessages } from '../turn/deliver-messages.ts';
import type { LimitStop } from '../turn/turn-limits.ts';
import { needsApproval, runTool } from './run-tool.ts';
import { checkAfter, emptyRecord, endTool } from '../turn/take-action.ts';
import type { Turn } from '../turn/turn.ts';

/** One answer of a model, to be acted on. */
export interface ToolAnswer {
  readonly callId: string;
  readonly parts: readonly Part[];
  readonly style: CallStyle;
  readonly tools: readonly Tool[];
  readonly contextTokens: number;
}

export type ToolsOutcome =
  | { readonly type: 'ran'; readonly calls: number }
  /** There was no call in it. */
  | { readonly type: 'no-call' }
  /** Calls were meant and not one could be understood; the model has been told what was wrong. */
  | { readonly type: 'not-understood' }
  | { readonly type: 'complete'; readonly text: string; readonly toolCallId: string }
  | { readonly type: 'stopped'; readonly stop: LimitStop };

/**
 * Runs the calls of one answer, one after the other. What was not understood is never run: the model reads what was
 * wrong and how a right call looks, which makes the next prompt another one. Messages of the person are delivered
 * between calls. Throws `cancelled`.
 */
export async function runTools(turn: Turn, answer: ToolAnswer): Promise<ToolsOutcome> {
  const { calls, errors } = parseCalls(answer.parts, answer.style, answer.tools);
  if (calls.length === 0 && errors.length === 0) return { type: 'no-call' };
  for (const call of calls) {
    const outcome = await runCall(turn, answer, call, errors.length > 0);
    if (outcome !== null) return outcome;
    if (turn.limits.stuck(turn.progress.okWrites) === 'same-call') await reportSameCall(turn);
    await deliverMessages(turn);
  }
  if (errors.length > 0) await reportCallErrors(turn, errors, answer.style);
  return calls.length === 0 ? { type: 'not-understood' } : { type: 'ran', calls: calls.length };
}

/** Null: go on with the next call. */
async function runCall(
  turn: Turn,
  answer: ToolAnswer,
  call: ParsedCall,
  hasErrors: boolean,
): Promise<ToolsOutcome | null> {
  const { tool, input } = call;
  const toolCallId = turn.dependencies.journal.newId('tool');
  const { callId, style } = answer;
  const repairs = [...call.repairs];
  await turn.log.append({ type: 'tool-call-requested', toolCallId, callId, tool: tool.name, input, style, repairs });
  const stop = turn.limits.noteCall(tool.name, input, turn.progress.okWrites);
  if (stop !== null) return { type: 'stopped', stop };
  if (tool.access === 'end') return complete(turn, call, toolCallId, hasErrors);
  const started = {
    type: 'tool-started',
    toolCallId,
    tool: tool.name,
    by: 'model',
    input,
    label: label(call),
  } as const;
  await turn.log.append({ ...started, ...foreignOf(tool) });
  const run = { tool, input, toolCallId, contextTokens: answer.contextTokens };
  const record = await turn.dependencies.effects.perform(toolCallId, () => runTool(turn, run));
  await endTool(turn, toolCallId, tool.name, record);
  checkAfter(turn, record);
  return afterRecord(turn, call, record);
}

/** Who answers a tool of others: that decides what a session has met from then on. */
function foreignOf({ foreign }: Tool): Pick<EventOf<'tool-started'>, 'foreign'> {
  if (foreign === undefined) return {};
  const { server, leaves, readsFiles } = foreign;
  return { foreign: { server, leaves, readsFiles } };
}

function afterRecord(turn: Turn, call: ParsedCall, record: EffectRecord): ToolsOutcome | null {
  turn.limits.noteOutput(record.full?.bytes ?? record.output.length);
  turn.limits.noteResult(record.output);
  if (isNeedsApproval(record.data)) {
    const text = `${record.output}: an approval was needed, and there was nobody to give it.`;
    return { type: 'stopped', stop: { reason: 'needs-approval', text } };
  }
  if (call.tool.name === 'run_command' && record.status === 'ok' && record.exitCode === 0)
    turn.progress.okCommands += 1;
  if (call.tool.access !== 'write') return null;
  if (record.status === 'ok') {
    turn.progress.okWrites += 1;
    return null;
  }
  const stop = turn.limits.noteRejection(call.tool.name, call.input);
  return stop === null ? null : { type: 'stopped', stop };
}

/** The end is an ordinary call for the log; whether it is believed is decided by whoever runs the turn. */
async function complete(
  turn: Turn,
  call: ParsedCall,
  toolCallId: string,
  hasErrors: boolean,
): Promise<ToolsOutcome | null> {
  const text = endText(call.input);
  const { tool, input } = call;
  await turn.log.append({ type: 'tool-started', toolCallId, tool: tool.name, by: 'model', input, label: label(call) });
  const output = hasErrors ? 'Another call of the same answer was not understood, so the task is not complete.' : text;
  await endTool(turn, toolCallId, tool.name, emptyRecord(hasErrors ? 'refused' : 'ok', output));
  return hasErrors ? null : { type: 'complete', text, toolCallId };
}

function endText(input: unknown): string {
  if (typeof input !== 'object' || input === null) return '';
  const texts = Object.values(input).filter((value): value is string => typeof value === 'string');
  return texts.join('\n');
}

/** A third time would end it. */
async function reportSameCall(turn: Turn): Promise<void> {
  const text =
    'You made that call before, and nothing has changed since. Do something else: read the file that is at fault, or change it.';
  await turn.log.append({ type: 'notice-added', level: 'info', code: 'same-call', text });
}

/** What the model reads when it was not understood; it names the tool and shows the form. */
async function reportCallErrors(turn: Turn, errors: readonly CallError[], style: CallStyle): Promise<void> {
  const example = style === 'text' ? 'TOOL_CALL\n{"tool": "NAME", "input": {…}}\nEND_TOOL_CALL' : '';
  const lines = errors.map((error) => `This call was not run. ${error.message}`);
  const text = [...lines, ...(example === '' ? [] : [`A call looks like this:\n${example}`])].join('\n');
  await turn.log.append({ type: 'notice-added', level: 'info', code: 'call-not-understood', text });
}

function label(call: ParsedCall): string {
  try {
    return call.tool.label(call.input);
  } catch {
    // A label is for people; a tool whose label fails still runs.
    return call.tool.name;
  }
}

function isNeedsApproval(data: unknown): boolean {
  return (
    typeof data === 'object' &&
    data !== null &&
    'needsApproval' in data &&
    data.needsApproval === needsApproval.needsApproval
  );
}
