import type { ParsedCall } from '../../tools/parsed-call.ts';
import type { Part } from '@shared/models/model-messages.ts';
import type { Tool } from '../../tools/define.ts';
import type { EffectRecord } from '../../sessions/journal/journal.ts';
import { parseCalls } from '../calls/parse-calls.ts';
import type { CallError, CallStyle } from '../calls/call-types.ts';
import { equalAbove } from '../prompt/equal-results.ts';
import { attachedParts } from '../prompt/attached-parts.ts';
import { deliverMessages } from '../turn/deliver-messages.ts';
import type { LimitStop } from '../turn/turn-limits.ts';
import { askToolName, openQuestion } from '../../tools/ask-person.tool.ts';
import { spawnToolName } from '../../tools/agents/agent-tools.ts';
import { wasPutBack } from '../changes/revert-guarded-changes.ts';
import { readFolderInstructions } from '../preparation/read-project-instructions.ts';
import { pathsIn } from '../../safety/paths-in-calls.ts';
import { isReading, needsApproval, runTool } from './run-tool.ts';
import { checkAfter, emptyRecord, endTool, labelOf, writeStart } from '../turn/take-action.ts';
import type { Turn } from '../turn/turn.ts';
import { withoutWords } from './without-words.ts';
import { shortenText } from '@shared/text/shorten-text.ts';
import { fieldOf, isRecord } from '@shared/unknown-value.ts';

/** One answer of a model, whose calls are to be run. */
export interface ToolAnswer {
  readonly callId: string;
  readonly parts: readonly Part[];
  readonly style: CallStyle;
  readonly tools: readonly Tool[];
  readonly contextTokens: number;
  readonly seesImages: boolean;
}

export type ToolsOutcome =
  | { readonly type: 'ran'; readonly calls: number }
  /** The answer had no call. */
  | { readonly type: 'no-call' }
  /** The answer had calls, but none could be run. The model was told why, and `text` says it to the person. */
  | { readonly type: 'not-run'; readonly text: string }
  | { readonly type: 'complete'; readonly text: string; readonly toolCallId: string }
  /** The task cannot be done, or somebody has to answer first; `text` says what is missing. */
  | { readonly type: 'blocked'; readonly text: string }
  | { readonly type: 'stopped'; readonly stop: LimitStop };

/**
 * Runs the calls of one answer in order. Neighboring calls that only look, or start agents, run in parallel. A call
 * that was not understood never runs: the model reads what was wrong and how a correct call looks, which also changes
 * the next prompt. Calls that depend on a failed edit are skipped. The user's messages are delivered between calls.
 * Throws `cancelled`.
 */
export async function runTools(turn: Turn, answer: ToolAnswer): Promise<ToolsOutcome> {
  const { calls, errors } = parseCalls(answer.parts, answer.style, answer.tools);
  if (calls.length === 0 && errors.length === 0) return { type: 'no-call' };
  for (const error of errors) if (hasResult(error)) await answerBadCall(turn, answer, error);
  const failed: FailedEdits = { labels: [], paths: new Set() };
  const open: string[] = [];
  const lastEdits = calls.filter(({ tool }, at) => tool.access === 'write' && calls[at + 1]?.tool.access !== 'write');
  for (const group of groupsOf(calls)) {
    const isQuestion = group.every(({ tool }) => tool.name === askToolName);
    // Nothing goes on before the answer, but every question of the answer is asked.
    if (open.length > 0 && !isQuestion) break;
    const outcome = await runGroup(turn, answer, { group, failed, lastEdits, hasErrors: errors.length > 0 });
    if (isQuestion && outcome?.type === 'blocked') {
      open.push(outcome.text);
      continue;
    }
    if (outcome !== null) return outcome;
    if (turn.limits.stuck(turn.progress.okWrites) === 'same-call') await reportSameCall(turn, group);
    // In a talk a message gets a turn of its own, because it may ask for work.
    if (turn.given.mode !== 'chat') await deliverMessages(turn);
  }
  if (open.length > 0) return { type: 'blocked', text: open.join('\n\n') };
  const told = errors.filter((error) => !hasResult(error));
  if (told.length > 0) await reportCallErrors(turn, told, answer.style);
  return calls.length === 0 ? { type: 'not-run', text: whyNoneRan(errors) } : { type: 'ran', calls: calls.length };
}

/** Tools that only look at files and results and ask nobody. Their order makes no difference. */
const looking: readonly string[] = [
  'read_file',
  'list_files',
  'search',
  'search_documents',
  'read_git',
  'find_symbol',
  'outline',
  'read_result',
];
const mostTogether = 8;
/** Tools that read or change the file that they name, so that the instructions of its folder count. */
const touching: readonly string[] = ['read_file', 'edit_file', 'write_file', 'apply_patch', 'delete_file'];

function groupsOf(calls: readonly ParsedCall[]): readonly ParsedCall[][] {
  const groups: ParsedCall[][] = [];
  const isLook = ({ tool }: ParsedCall): boolean => tool.access === 'read' && looking.includes(tool.name);
  const isSpawn = ({ tool }: ParsedCall): boolean => tool.name === spawnToolName;
  for (const call of calls) {
    const last = groups.at(-1);
    const [first] = last ?? [];
    const joins = first !== undefined && ((isLook(first) && isLook(call)) || (isSpawn(first) && isSpawn(call)));
    if (last !== undefined && joins && last.length < mostTogether) last.push(call);
    else groups.push([call]);
  }
  return groups;
}

/** The edits of this answer that failed, and the commands whose changes were put back. */
interface FailedEdits {
  readonly labels: string[];
  readonly paths: Set<string>;
}

interface GroupRun {
  readonly group: readonly ParsedCall[];
  readonly failed: FailedEdits;
  /** Each ends a row of edits. */
  readonly lastEdits: readonly ParsedCall[];
  readonly hasErrors: boolean;
}

/** Null: continue with the next calls. */
async function runGroup(
  turn: Turn,
  answer: ToolAnswer,
  { group, failed, lastEdits, hasErrors }: GroupRun,
): Promise<ToolsOutcome | null> {
  const begun: { readonly call: ParsedCall; readonly toolCallId: string }[] = [];
  let stop: LimitStop | null = null;
  for (const call of group) {
    const { tool } = call;
    const toolCallId = await request(turn, answer, call);
    if (leansOn(failed, call)) return leaveOut(turn, call, { toolCallId, failed });
    stop = turn.limits.noteCall(tool.name, sameness(call), turn.progress.okWrites);
    if (stop?.mayAnswer === true) {
      await refuse(turn, call, toolCallId, stop);
      stop = null;
      continue;
    }
    if (stop !== null) break;
    if (tool.access === 'end') return complete(turn, call, toolCallId, hasErrors);
    await writeStart(turn, { ...call, toolCallId });
    begun.push({ call, toolCallId });
  }
  const records = await Promise.all(
    begun.map(({ call, toolCallId }) => {
      const { contextTokens, seesImages } = answer;
      const { tool, input, corrections, wantsNetwork = false } = call;
      const run = {
        tool,
        input,
        toolCallId,
        contextTokens,
        seesImages,
        corrections,
        wantsNetwork,
        isLastEdit: lastEdits.includes(call),
      };
      return turn.dependencies.effects.perform(toolCallId, () => runTool(turn, run));
    }),
  );
  const ran = begun.flatMap((one, index) => {
    const record = records[index];
    return record === undefined ? [] : [{ ...one, record }];
  });
  // All calls have ended here, even if one of them was cancelled.
  for (const { call, toolCallId, record } of ran) {
    turn.prompt.conversation.noteResult(toolCallId, await attachedParts(turn.dependencies.journal, record.pictures));
    await endTool(turn, { toolCallId, tool: call.tool.name, ...sameAbove(turn, call, { toolCallId, record }) }, record);
  }
  // Steps that servers asked for are numbered too, also in a replay, which runs none of them.
  turn.steps.last = Math.max(turn.steps.last, turn.dependencies.journal.state().totals.steps);
  for (const { record } of ran) checkAfter(turn, record);
  const touched = ran.filter(({ call, record }) => record.status === 'ok' && touching.includes(call.tool.name));
  const files = touched.flatMap(({ call }) => [...pathsIn(call.input)]);
  if (files.length > 0) await readFolderInstructions(turn, files, answer.contextTokens);
  for (const { call, record } of ran) {
    const outcome = afterRecord(turn, call, record);
    if (outcome !== null) return outcome;
    if ((call.tool.access === 'write' && record.status !== 'ok') || wasPutBack(record.data)) noteFailed(failed, call);
  }
  return stop === null ? null : { type: 'stopped', stop };
}

/** Which earlier result says the same as that of a call that only reads. Commands may have done something again. */
function sameAbove(
  { prompt: { conversation } }: Pick<Turn, 'prompt'>,
  { tool, input }: ParsedCall,
  { toolCallId, record }: { readonly toolCallId: string; readonly record: EffectRecord },
): { readonly sameAs?: string } {
  if (record.status !== 'ok' || (tool.access !== 'read' && !isReading(tool))) return {};
  const sameAs = equalAbove(conversation.entries(), { toolCallId, tool: tool.name, input }, record.output);
  return sameAs === null ? {} : { sameAs };
}

async function request(turn: Turn, { callId, style }: ToolAnswer, call: ParsedCall): Promise<string> {
  const toolCallId = turn.dependencies.journal.newId('tool');
  const { tool, input } = call;
  const repairs = [...call.repairs];
  const partId = call.id === null ? {} : { partId: call.id };
  await turn.log.append({
    type: 'tool-call-requested',
    toolCallId,
    callId,
    ...partId,
    tool: tool.name,
    input,
    style,
    repairs,
  });
  return toolCallId;
}

/** What makes two calls the same: the arguments without words that are only shown. */
function sameness({ tool, input }: ParsedCall): unknown {
  return withoutWords(tool, input);
}

function pathOf({ input }: ParsedCall): string | null {
  return isRecord(input) && typeof input.path === 'string' ? input.path : null;
}

function noteFailed({ labels, paths }: FailedEdits, call: ParsedCall): void {
  labels.push(labelOf(call));
  paths.add(pathOf(call) ?? '');
}

/**
 * Whether a call depends on a failed edit. Another file may still be changed, but a command or the end of the task
 * would be judged without the edit.
 */
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
  const output = `Skipped: before it in the same answer, this failed: ${failed.labels.join('; ')}. If it is still right, call it again.`;
  await endTool(turn, { toolCallId, tool: call.tool.name }, emptyRecord('error', output));
  return null;
}

/** There are no calls left. The model reads that in the result, and gets one more answer. */
async function refuse(turn: Turn, call: ParsedCall, toolCallId: string, { text }: LimitStop): Promise<void> {
  await writeStart(turn, { ...call, toolCallId });
  const output = `Not run. ${text} Answer now with what you know, and say what is left to do.`;
  await endTool(turn, { toolCallId, tool: call.tool.name }, emptyRecord('refused', output));
}

function afterRecord(turn: Turn, call: ParsedCall, record: EffectRecord): ToolsOutcome | null {
  turn.limits.noteOutput(record.full?.bytes ?? record.output.length);
  turn.limits.noteResult(record.output);
  turn.limits.noteTokens(tokensOfOthers(record.data));
  if (isNeedsApproval(record.data)) {
    const text = `${record.output}: an approval was needed, and there was nobody to give it.`;
    return { type: 'stopped', stop: { reason: 'needs-approval', text } };
  }
  const question = openQuestion(record.data);
  if (question !== null) return { type: 'blocked', text: question };
  if (call.tool.name === 'run_command' && record.status === 'ok' && record.exitCode === 0)
    turn.progress.okCommands += 1;
  if (call.tool.connected !== undefined && record.status === 'ok') turn.progress.okConnected += 1;
  if (call.tool.needs === 'memory' && record.status === 'ok') turn.progress.proposedLines += 1;
  noteProgram(turn, record.data);
  if (call.tool.access !== 'write') return null;
  if (record.status === 'ok') {
    turn.progress.okWrites += 1;
    return null;
  }
  const stop = turn.limits.noteRejection(call.tool.name, sameness(call));
  return stop === null ? null : { type: 'stopped', stop };
}

/** Counts what a program did by its calls as if the model had called the tools itself. */
function noteProgram({ progress, limits }: Turn, data: unknown): void {
  const program = isRecord(data) && isRecord(data.program) ? data.program : {};
  const { okWrites = 0, okCommands = 0, calls = [] } = program;
  const made = Array.isArray(calls) ? calls.map((call) => numberAt(call, 'made')) : [];
  limits.noteInnerCalls(made.reduce((sum, count) => sum + count, 0));
  if (typeof okWrites === 'number') progress.okWrites += okWrites;
  if (typeof okCommands === 'number') progress.okCommands += okCommands;
}

function numberAt(value: unknown, name: string): number {
  const found = fieldOf(value, name);
  return typeof found === 'number' ? found : 0;
}

/** The tokens of a child agent, or of a model that a server asked, which count for this turn. */
function tokensOfOthers(data: unknown): number {
  const used = isRecord(data) ? (data.agent ?? data.asked) : null;
  return isRecord(used) && typeof used.tokens === 'number' ? used.tokens : 0;
}

/** Logs the model's claim to be done as an ordinary call. The caller decides whether to believe it. */
async function complete(
  turn: Turn,
  call: ParsedCall,
  toolCallId: string,
  hasErrors: boolean,
): Promise<ToolsOutcome | null> {
  const { text, isBlocked } = endOf(call.input);
  await writeStart(turn, { ...call, toolCallId });
  const output = hasErrors ? 'Another call of the same answer was not understood, so the task is not complete.' : text;
  await endTool(turn, { toolCallId, tool: call.tool.name }, emptyRecord(hasErrors ? 'error' : 'ok', output));
  if (hasErrors) return null;
  return isBlocked ? { type: 'blocked', text } : { type: 'complete', text, toolCallId };
}

function endOf(input: unknown): { readonly text: string; readonly isBlocked: boolean } {
  if (!isRecord(input)) return { text: '', isBlocked: false };
  const { status, ...rest } = input;
  const texts = Object.values(rest).filter((value): value is string => typeof value === 'string');
  return { text: texts.join('\n'), isBlocked: status === 'blocked' };
}

/** Warns the model, because a third equal call would end the stage. */
async function reportSameCall(turn: Turn, group: readonly ParsedCall[]): Promise<void> {
  const call = group.at(-1);
  const what = call === undefined ? '' : ` (${shortenText(labelOf(call), 200)})`;
  const last = turn.dependencies.journal.state().toolCalls.at(-1);
  const hasPassed = last?.tool === 'run_command' && last.status === 'ok' && last.exitCode === 0;
  const next = hasPassed
    ? 'It passed, and it would pass again. If the task is done, say so now. Otherwise do what is still missing.'
    : 'Do something else: read the file that is at fault, or change it.';
  const text = `You made that call before${what}, and nothing has changed since. ${next}`;
  await turn.log.append({ type: 'notice-added', level: 'info', code: 'same-call', text });
}

type IdentifiedError = CallError & { readonly id: string };

/** Calls whose service gave them an id have a result of their own; calls as text have none. */
const hasResult = (error: CallError): error is IdentifiedError => error.id !== null;

const shortReasons: Readonly<Record<CallError['kind'], string>> = {
  'unknown-tool': 'no such tool',
  'bad-json': 'not understood',
  'bad-arguments': 'wrong arguments',
  'outside-project': 'outside the project',
  cut: 'broke off',
};

/** For the person: why no call of an answer ran, by the first of them. */
function whyNoneRan(errors: readonly CallError[]): string {
  const [first] = errors;
  if (first === undefined) return 'The calls of the model could not be understood.';
  const name = shortenText(first.name ?? 'unknown', 100);
  switch (first.kind) {
    case 'outside-project':
      return `The model asked for files outside the project, which stay closed (${name}: ${shortenText(first.raw, 200)}). To work on those, open their folder as a project.`;
    case 'unknown-tool':
      return `The model called a tool that does not exist (${name}).`;
    case 'bad-arguments':
      return `The model called ${name} with wrong arguments.`;
    case 'cut':
      return 'The calls of the model broke off before their end.';
    case 'bad-json':
      return 'The calls of the model could not be understood.';
    default:
      return first.kind satisfies never;
  }
}

/** Logs a call that may not run like one that failed at once: its reason is its result. */
async function answerBadCall(turn: Turn, { callId, style }: ToolAnswer, error: IdentifiedError): Promise<void> {
  const toolCallId = turn.dependencies.journal.newId('tool');
  const tool = shortenText(error.name ?? 'unknown', 100);
  const input = shortenText(error.raw, 2_000);
  const request = { toolCallId, callId, partId: error.id, tool, input, style, repairs: [] };
  await turn.log.append({ type: 'tool-call-requested', ...request });
  await turn.log.append({
    type: 'tool-started',
    toolCallId,
    tool,
    by: 'model',
    input,
    label: `${tool}: ${shortReasons[error.kind]}`,
  });
  await endTool(turn, { toolCallId, tool }, emptyRecord('error', `This call was not run. ${error.message}`));
  await turn.log.append({ type: 'notice-added', level: 'info', code: 'bad-call', text: error.message });
}

/** Tells the model which call was not understood, and shows the correct form. */
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
