import type { Part } from '@shared/models/model-messages.ts';
import type { Tool } from '../../tools/define.ts';
import type { EffectRecord } from '../../sessions/journal/journal.ts';
import { parseCalls } from '../calls/parse-calls.ts';
import type { CallError, CallStyle, ParsedCall } from '../calls/call-types.ts';
import { attachedParts } from '../prompt/attached-parts.ts';
import { deliverMessages } from '../turn/deliver-messages.ts';
import type { LimitStop } from '../turn/turn-limits.ts';
import { spawnToolName } from '../../tools/agents/agent-tools.ts';
import { needsApproval, runTool } from './run-tool.ts';
import { checkAfter, emptyRecord, endTool, labelOf, writeStart } from '../turn/take-action.ts';
import type { Turn } from '../turn/turn.ts';
import { isRecord } from '@shared/unknown-value.ts';

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
  /** It cannot be done, or somebody has to answer first; `text` says what is missing. */
  | { readonly type: 'blocked'; readonly text: string }
  | { readonly type: 'stopped'; readonly stop: LimitStop };

/**
 * Runs the calls of one answer in order; those in a row that only look, or start agents, run side by side. What was not
 * understood is never run: the model reads what was wrong and how a right call looks, which makes the next prompt
 * another one. What leans on an edit that failed is left out. Messages of the person are delivered between calls.
 * Throws `cancelled`.
 */
export async function runTools(turn: Turn, answer: ToolAnswer): Promise<ToolsOutcome> {
  const { calls, errors } = parseCalls(answer.parts, answer.style, answer.tools);
  if (calls.length === 0 && errors.length === 0) return { type: 'no-call' };
  const failed: FailedEdits = { labels: [], paths: new Set() };
  for (const group of groupsOf(turn, calls)) {
    const outcome = await runGroup(turn, answer, { group, failed, hasErrors: errors.length > 0 });
    if (outcome !== null) return outcome;
    if (turn.limits.stuck(turn.progress.okWrites) === 'same-call') await reportSameCall(turn);
    await deliverMessages(turn);
  }
  if (errors.length > 0) await reportCallErrors(turn, errors, answer.style);
  return calls.length === 0 ? { type: 'not-understood' } : { type: 'ran', calls: calls.length };
}

/** Tools that look at files and at results and do no more, and that ask nobody: the order in which they run makes no difference. */
const looking: readonly string[] = ['read_file', 'list_files', 'search', 'read_result'];
const mostTogether = 8;

/** Logs from before calls ran side by side have each call ended before the next begins. */
function groupsOf({ dependencies: { config } }: Turn, calls: readonly ParsedCall[]): readonly ParsedCall[][] {
  const groups: ParsedCall[][] = [];
  const isLook = ({ tool }: ParsedCall): boolean => tool.access === 'read' && looking.includes(tool.name);
  const isSpawn = ({ tool }: ParsedCall): boolean => tool.name === spawnToolName;
  for (const call of calls) {
    const last = groups.at(-1);
    const [first] = last ?? [];
    const isAlike = first !== undefined && ((isLook(first) && isLook(call)) || (isSpawn(first) && isSpawn(call)));
    const joins = isNew(config) && isAlike;
    if (last !== undefined && joins && last.length < mostTogether) last.push(call);
    else groups.push([call]);
  }
  return groups;
}

/** Edits of this answer that failed. */
interface FailedEdits {
  readonly labels: string[];
  readonly paths: Set<string>;
}

interface GroupRun {
  readonly group: readonly ParsedCall[];
  readonly failed: FailedEdits;
  readonly hasErrors: boolean;
}

/** Null: go on with the next ones. */
async function runGroup(
  turn: Turn,
  answer: ToolAnswer,
  { group, failed, hasErrors }: GroupRun,
): Promise<ToolsOutcome | null> {
  const begun: { readonly call: ParsedCall; readonly toolCallId: string }[] = [];
  let stop: LimitStop | null = null;
  for (const call of group) {
    const { tool, input } = call;
    const toolCallId = await request(turn, answer, call);
    if (isNew(turn.dependencies.config) && leansOn(failed, call)) return leaveOut(turn, call, { toolCallId, failed });
    stop = turn.limits.noteCall(tool.name, input, turn.progress.okWrites);
    if (stop !== null) break;
    if (tool.access === 'end') return complete(turn, call, toolCallId, hasErrors);
    await writeStart(turn, { ...call, toolCallId });
    begun.push({ call, toolCallId });
  }
  const records = await Promise.all(
    begun.map(({ call: { tool, input, wantsNetwork }, toolCallId }) => {
      const run = { tool, input, toolCallId, contextTokens: answer.contextTokens, wantsNetwork: wantsNetwork === true };
      return turn.dependencies.effects.perform(toolCallId, () => runTool(turn, run));
    }),
  );
  const ran = begun.flatMap((one, index) => {
    const record = records[index];
    return record === undefined ? [] : [{ ...one, record }];
  });
  // All of them ended, also where one of them was cancelled.
  for (const { call, toolCallId, record } of ran) {
    turn.conversation.noteResult(toolCallId, await attachedParts(turn.dependencies.journal, record.pictures));
    await endTool(turn, toolCallId, call.tool.name, record);
  }
  // Steps that servers asked for have numbers, too, also where a replay runs none of them.
  turn.steps.last = Math.max(turn.steps.last, turn.dependencies.journal.state().totals.steps);
  for (const { record } of ran) checkAfter(turn, record);
  for (const { call, record } of ran) {
    const outcome = afterRecord(turn, call, record);
    if (outcome !== null) return outcome;
    if (call.tool.access === 'write' && record.status !== 'ok') noteFailed(failed, call);
  }
  return stop === null ? null : { type: 'stopped', stop };
}

async function request(turn: Turn, { callId, style }: ToolAnswer, call: ParsedCall): Promise<string> {
  const toolCallId = turn.dependencies.journal.newId('tool');
  const { tool, input } = call;
  const repairs = [...call.repairs];
  await turn.log.append({ type: 'tool-call-requested', toolCallId, callId, tool: tool.name, input, style, repairs });
  return toolCallId;
}

function isNew({ conduct = 1 }: Turn['dependencies']['config']): boolean {
  return conduct >= 2;
}

function pathOf({ input }: ParsedCall): string | null {
  return isRecord(input) && typeof input.path === 'string' ? input.path : null;
}

function noteFailed({ labels, paths }: FailedEdits, call: ParsedCall): void {
  labels.push(labelOf(call));
  paths.add(pathOf(call) ?? '');
}

/** Another file may still be changed; a command, or the end, would be judged by what is not there. */
function leansOn({ labels, paths }: FailedEdits, call: ParsedCall): boolean {
  if (labels.length === 0 || call.tool.access === 'read') return false;
  const path = pathOf(call);
  return call.tool.access !== 'write' || path === null || paths.has(path) || paths.has('');
}

async function leaveOut(
  turn: Turn,
  call: ParsedCall,
  { toolCallId, failed }: { readonly toolCallId: string; readonly failed: FailedEdits },
): Promise<null> {
  await writeStart(turn, { ...call, toolCallId });
  const output = `Skipped: before it in the same answer, this failed: ${failed.labels.join('; ')}. Call it again when that is done.`;
  await endTool(turn, toolCallId, call.tool.name, emptyRecord('error', output));
  return null;
}

function afterRecord(turn: Turn, call: ParsedCall, record: EffectRecord): ToolsOutcome | null {
  turn.limits.noteOutput(record.full?.bytes ?? record.output.length);
  turn.limits.noteResult(record.output);
  turn.limits.noteTokens(tokensOfOthers(record.data));
  if (isNeedsApproval(record.data)) {
    const text = `${record.output}: an approval was needed, and there was nobody to give it.`;
    return { type: 'stopped', stop: { reason: 'needs-approval', text } };
  }
  if (call.tool.name === 'run_command' && record.status === 'ok' && record.exitCode === 0)
    turn.progress.okCommands += 1;
  noteProgram(turn, record.data);
  if (call.tool.access !== 'write') return null;
  if (record.status === 'ok') {
    turn.progress.okWrites += 1;
    return null;
  }
  const stop = turn.limits.noteRejection(call.tool.name, call.input);
  return stop === null ? null : { type: 'stopped', stop };
}

/** What a program did by its calls counts as if they were the model's own. */
function noteProgram({ progress }: Turn, data: unknown): void {
  const program = isRecord(data) && isRecord(data.program) ? data.program : {};
  const { okWrites = 0, okCommands = 0 } = program;
  if (typeof okWrites === 'number') progress.okWrites += okWrites;
  if (typeof okCommands === 'number') progress.okCommands += okCommands;
}

/** What an agent that it started used counts for its parent, too, and what a server had a model do. */
function tokensOfOthers(data: unknown): number {
  const used = isRecord(data) ? (data.agent ?? data.asked) : null;
  return isRecord(used) && typeof used.tokens === 'number' ? used.tokens : 0;
}

/** The end is an ordinary call for the log; whether it is believed is decided by whoever runs the turn. */
async function complete(
  turn: Turn,
  call: ParsedCall,
  toolCallId: string,
  hasErrors: boolean,
): Promise<ToolsOutcome | null> {
  const { text, isBlocked } = endOf(call.input);
  await writeStart(turn, { ...call, toolCallId });
  const unready = isNew(turn.dependencies.config) ? 'error' : 'refused';
  const output = hasErrors ? 'Another call of the same answer was not understood, so the task is not complete.' : text;
  await endTool(turn, toolCallId, call.tool.name, emptyRecord(hasErrors ? unready : 'ok', output));
  if (hasErrors) return null;
  return isBlocked ? { type: 'blocked', text } : { type: 'complete', text, toolCallId };
}

function endOf(input: unknown): { readonly text: string; readonly isBlocked: boolean } {
  if (!isRecord(input)) return { text: '', isBlocked: false };
  const { status, ...rest } = input;
  const texts = Object.values(rest).filter((value): value is string => typeof value === 'string');
  return { text: texts.join('\n'), isBlocked: status === 'blocked' };
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

function isNeedsApproval(data: unknown): boolean {
  return (
    typeof data === 'object' &&
    data !== null &&
    'needsApproval' in data &&
    data.needsApproval === needsApproval.needsApproval
  );
}
