import { messageOf } from '@shared/errors.ts';
import { imageTypeSchema } from '@shared/models/model-messages.ts';
import { z } from 'zod';
import { abortable } from '../../lib/async/abort.ts';
import { timerWithPauses } from '../../lib/async/deadline-pause.ts';
import { childAbort } from '../../lib/async/child-abort.ts';
import { withReason } from '../../lib/net/send-reason.ts';
import type { EffectRecord, Journal } from '../../sessions/journal/journal.ts';
import type { ServerDoor, Tool, ToolContext, ToolFacts, ToolResult } from '../../tools/define.ts';
import { callRule } from '../../safety/approvals/approval-policy.ts';
import { askApproval } from '../approval/request-approval.ts';
import { accountQuestion, askConnectedCall } from '../approval/request-connected-call.ts';
import { askNetwork, createNetworkUses, withNetwork, type NetworkAnswer } from '../approval/request-network-access.ts';
import { personQuestion } from '../approval/request-answer.ts';
import { memoryProposal } from '../approval/request-memory.ts';
import { createServerDoor } from '../approval/request-server-question.ts';
import { createWebDoor } from '../approval/request-web-access.ts';
import type { MoreOf } from '../../tools/results/cut-result.ts';
import type { CappedOutput } from '../prompt/shorten-output.ts';
import { capOutput, capStructured, fileBytes } from '../prompt/shorten-output.ts';
import { resultPath } from '../../tools/values/tool-path-input.ts';
import { prepareToRun, sandboxOfCall, tierOfCall } from './computing.ts';
import { keptResult, readOnce } from './earlier-results.ts';
import { afterNotes, changedText } from './result-notes.ts';
import { createOutputSink } from './output-sink.ts';
import { newErrorNotes, warmServer } from './new-error-notes.ts';
import { planProgressNotes } from './plan-notes.ts';
import { narrowedText } from './narrowed-tools.ts';
import { createProgramDoor } from './program-door.ts';
import { emptyRecord, uncountedMs, waitedMs } from '../turn/take-action.ts';
import { revertGuardedChanges, withPutBack } from '../changes/revert-guarded-changes.ts';
import type { Turn } from '../turn/turn.ts';
import { toolFiles } from '../changes/tool-files.ts';
import { isRecord } from '@shared/unknown-value.ts';

export interface ToolRun {
  readonly tool: Tool;
  readonly input: unknown;
  readonly toolCallId: string;
  /** What was changed in the arguments, for the model. */
  readonly corrections?: readonly string[];
  /** A command that asked for network access with the arguments of another program. */
  readonly wantsNetwork?: boolean;
  /** The context size of the model that will read the result. */
  readonly contextTokens: number;
  /** It sees pictures. */
  readonly seesImages: boolean;
  /** No other edit follows in the same answer, so the result says what errors the edits brought. */
  readonly isLastEdit?: boolean;
}

/** Time between a tool's deadline and giving it up, in case it does not react to the abort. */
const DEADLINE_GRACE_MS = 2_000;

/**
 * Runs one tool for a model. Never rejects: a tool that throws, hangs, or returns a wrong shape or 50 MB gives a record
 * that the model can read, and the loop continues.
 */
export async function runTool(turn: Turn, run: ToolRun): Promise<EffectRecord> {
  if (turn.signal.aborted) return emptyRecord('cancelled', 'It was cancelled before it ran.');
  if (isReading(run.tool)) return readOnce(turn, run, () => runAnew(turn, run));
  const mayChange = run.tool.access !== 'read';
  // Cleared before and after a change, because results from before it, or from while it ran, may be out of date.
  if (mayChange) turn.files.repeated.clear();
  const record = await runAnew(turn, run);
  if (mayChange) turn.files.repeated.clear();
  return record;
}

/** Web tools that only read, and tools of servers that the user marked as reading only. */
export function isReading({ access, needs, connected }: Tool): boolean {
  return (needs === 'web' && access === 'web') || connected?.reads === true;
}

async function runAnew(turn: Turn, run: ToolRun): Promise<EffectRecord> {
  const { journal } = turn.dependencies;
  const uncountedBefore = uncountedMs(turn);
  // Asked before the tool's time starts, because the user may take long to answer.
  const access = await askForAccess(turn, run).catch((error: unknown) => {
    if (turn.signal.aborted) return denied(cancelledResult);
    return denied({ status: 'error', output: messageOf(error) });
  });
  const startedAt = journal.now();
  const sink = createOutputSink(journal, run.toolCallId);
  const before = turn.files.changes.writes();
  const result = checkResult(
    access.denied ??
      (await runWithDeadline(
        turn,
        { ...run, input: access.input ?? run.input, network: access.network },
        run.tool.connected === undefined && run.tool.isProgram !== true ? sink.emit : progressOf(turn, run.toolCallId),
      )),
  );
  warmServer(turn, run, result);
  const errors = run.isLastEdit === true || run.tool.isProgram === true ? await newErrorNotes(turn, run) : [];
  const notes = [...afterNotes(turn, run, result, before), ...errors];
  const whole = [result.output, ...notes].join('\n');
  const capped = isOfOthers(run.tool)
    ? capStructured(whole, run.contextTokens, (more) => restText(run.toolCallId, more))
    : capWhole(run, whole, sink.bytes);
  const printed = await sink.end(Buffer.byteLength(result.output), capped.cut);
  const full = printed ?? (capped.cut ? await journal.putText([result.output]) : null);
  return {
    status: result.status,
    output: capped.text,
    full,
    exitCode: result.exitCode ?? null,
    durationMs: Math.max(0, journal.now() - startedAt),
    waitedMs: uncountedMs(turn) - uncountedBefore,
    data: safeData(result.data, run.tool.needs === 'drawing' ? mostDrawnCharacters : mostDataCharacters),
    ...(await keptPictures(journal, run.tool, result)),
  };
}

/** A file is shown up to a limit that its tool knows. What is left out of anything else can be read like a file. */
function capWhole({ tool, toolCallId, contextTokens }: ToolRun, whole: string, printedBytes: number): CappedOutput {
  if (tool.name === 'read_file') return { text: whole, cut: false };
  const rest = `read_file with path "${resultPath(toolCallId)}" shows all of it`;
  return capOutput(whole, contextTokens, { rest, printedBytes });
}

/** Stores images as blobs, so that the session can show them later and a replay needs no server. */
async function keptPictures(
  journal: Pick<Journal, 'putBlob'>,
  { name }: Tool,
  { pictures = [] }: ToolResult,
): Promise<Pick<EffectRecord, 'pictures'>> {
  if (pictures.length === 0) return {};
  const kept = pictures.map(async ({ bytes, ...facts }, index) => {
    return { kind: 'image' as const, name: `${name} ${index + 1}`, blob: await journal.putBlob(bytes), ...facts };
  });
  return { pictures: await Promise.all(kept) };
}

const needsOfOthers: readonly Tool['needs'][] = ['web', 'results', 'computing'];
/** Output from outside, and output of programs, is cut by its structure. */
function isOfOthers({ connected, needs, isProgram }: Tool): boolean {
  return connected !== undefined || isProgram === true || needsOfOthers.includes(needs);
}

function restText(result: string, { rows, path }: MoreOf): string {
  const call = JSON.stringify({ result, ...(rows === undefined ? {} : { rows }) });
  const others = path === undefined ? '"search"' : `"path":${JSON.stringify(path)}, or "search"`;
  return `read_result has the rest: ${call}, or ${others}`;
}

/** Shows the user the progress that a server reports. It is not part of the result. */
function progressOf(turn: Turn, toolCallId: string): ToolContext['emit'] {
  const decoder = new TextDecoder();
  return (stream, bytes) => {
    const text = decoder.decode(bytes, { stream: true }).slice(0, longestProgress);
    turn.dependencies.journal.push({ type: 'output-chunk', toolCallId, stream, text });
  };
}

const longestProgress = 1_000;

interface GrantedRun extends ToolRun {
  readonly network: Extract<NetworkAnswer, { type: 'granted' }> | null;
}

const cancelledResult: ToolResult = { status: 'cancelled', output: 'It was cancelled.' };

async function runWithDeadline(turn: Turn, run: GrantedRun, emit: ToolContext['emit']): Promise<unknown> {
  const child = childAbort(turn.signal);
  const left = new AbortController();
  const { toolTimeoutMs } = turn.dependencies.config;
  const { connected } = run.tool;
  const { toolCallId } = run;
  const door = connected === undefined ? null : createServerDoor(turn, connected, { toolCallId, signal: child.signal });
  const limitMs = run.tool.isLong === true ? longestMs : deadlineOf(run, toolTimeoutMs);
  let late = false;
  // Time while the user is asked does not count for the command.
  const heldMs = (): number => waitedMs(turn) + (door?.heldMs() ?? 0);
  const stopSoft = timerWithPauses(limitMs, heldMs, () => {
    late = true;
    child.abort();
  });
  const stopHard = timerWithPauses(limitMs + DEADLINE_GRACE_MS, heldMs, () => left.abort());
  let gone: NodeJS.Timeout | undefined;
  // Waits for a tool that is told to stop, so that it does nothing after its end is in the log.
  const onAbort = (): void => {
    gone = setTimeout(() => left.abort(), DEADLINE_GRACE_MS);
  };
  turn.signal.addEventListener('abort', onAbort, { once: true });
  try {
    const why = { tool: run.tool.name, toolCallId: run.toolCallId };
    const work = withReason(why, () => runTracked(turn, { ...run, door }, emit, child.signal));
    const result = await abortable(work, left.signal);
    return late ? timedOut(limitMs, result) : withTokens(result, door?.tokens() ?? 0);
  } catch (error) {
    if (turn.signal.aborted) return cancelledResult;
    if (late) return timedOut(limitMs, null);
    return { status: 'error', output: `${run.tool.name} failed: ${messageOf(error)}` } satisfies ToolResult;
  } finally {
    stopSoft();
    stopHard();
    clearTimeout(gone);
    turn.signal.removeEventListener('abort', onAbort);
    await door?.end();
    child.release();
  }
}

/** Adds the tokens that a server had a model use to the record, so that a replay counts them too. */
function withTokens(result: ToolResult, tokens: number): ToolResult {
  // The result has not been validated yet.
  if (tokens === 0) return result;
  const data = isRecord(result.data) ? result.data : {};
  return { ...result, data: { ...data, asked: { tokens } } };
}

/** For a long-running tool: what it starts has limits of its own. */
const longestMs = 24 * 60 * 60 * 1000;

/** Time for a container to start, and for a stopped tool to end. */
const ownToolSpareMs = 60_000;

/**
 * A command, or the file of an own tool, may ask for more time than the default. The deadline here is then later than
 * its own.
 */
function deadlineOf({ tool, input }: Pick<ToolRun, 'tool' | 'input'>, toolTimeoutMs: number): number {
  const own = tool.connected?.own;
  if (own !== undefined) return Math.max(toolTimeoutMs, own.timeoutSeconds * 1000 + ownToolSpareMs);
  if (typeof input !== 'object' || input === null || !('timeoutSeconds' in input)) return toolTimeoutMs;
  const { timeoutSeconds } = input;
  return typeof timeoutSeconds === 'number' ? Math.max(toolTimeoutMs, timeoutSeconds * 1000 + 5_000) : toolTimeoutMs;
}

function timedOut(limitMs: number, result: unknown): ToolResult {
  const said = isRecord(result) && typeof result.output === 'string' ? `\n${result.output}` : '';
  return { status: 'timed-out', output: `Stopped after ${Math.round(limitMs / 1000)} s.${said}` };
}

/** `contextTokens`: of the model that reads the results. */
function toolFacts(
  { dependencies: { sandbox, project, config } }: Turn,
  { contextTokens, seesImages }: Pick<ToolRun, 'contextTokens' | 'seesImages'>,
): ToolFacts {
  const { commandTimeoutMs, maxWriteBytes } = config;
  return {
    findTests: async (signal) => (await project.gatherFacts(sandbox.files, signal)).test,
    shownBytes: fileBytes(contextTokens),
    seesImages,
    symbols: project.symbols,
    repository: project.repository,
    ...(project.openChosenFolders === undefined ? {} : { openChosenFolders: project.openChosenFolders }),
    commandTimeoutMs,
    maxWriteBytes,
  };
}

async function runTracked(
  turn: Turn,
  run: GrantedRun & { readonly door: ServerDoor | null },
  emit: ToolContext['emit'],
  signal: AbortSignal,
): Promise<ToolResult> {
  const { network } = run;
  const context: ToolContext = {
    sandbox: sandboxOfCall(turn, run.tool),
    signal,
    emit,
    files: toolFiles(turn, run.toolCallId),
    facts: toolFacts(turn, run),
    keptResult: (id) => keptResult(turn, id),
    toolCallId: run.toolCallId,
    ...planProgressNotes(turn),
    ...(run.door === null ? {} : { serverDoor: run.door }),
    person: {
      ask: personQuestion(turn, run.toolCallId),
      proposeLine: memoryProposal(turn, run.toolCallId),
    },
    ...(run.tool.connected?.isRouter === true ? { askToConnect: accountQuestion(turn, run.toolCallId) } : {}),
    ...(run.tool.isProgram === true ? { programDoor: createProgramDoor(turn, run, runTool) } : {}),
    ...(network === null ? {} : { runWithNetwork: (command) => network.run(command, signal) }),
  };
  if (run.tool.needs === 'web') return runWebTool(turn, run, context);
  if (run.tool.access === 'network') return runConnectedTool(turn, run, context);
  const isApart = context.sandbox !== turn.dependencies.sandbox;
  if (run.tool.access !== 'execute' || isApart) return run.tool.run(run.input, context);
  const who = { by: 'model', toolCallId: run.toolCallId } as const;
  const { value, changed, isOwed } = await turn.files.changes.around(who, () => run.tool.run(run.input, context));
  const note = value.status === 'unknown' ? changedText(changed, isOwed) : null;
  const told = note === null ? value : { ...value, output: `${value.output}\n${note}` };
  return withPutBack(told, await revertGuardedChanges(turn, changed, { toolCallId: run.toolCallId, mayGain: true }));
}

/** Asks about hosts while the tool runs, because redirects are not known before. */
async function runWebTool(
  turn: Turn,
  { tool, input, toolCallId }: GrantedRun,
  context: ToolContext,
): Promise<ToolResult> {
  const door = createWebDoor(turn, toolCallId, context.signal);
  const result = await tool.run(input, { ...context, requestWeb: door.request });
  return door.isUnanswered() ? { ...result, data: needsApproval } : result;
}

/** Logs the hosts that the tool reached, as for commands. */
async function runConnectedTool(
  turn: Turn,
  { tool, input, toolCallId }: GrantedRun,
  context: ToolContext,
): Promise<ToolResult> {
  const uses = createNetworkUses(toolCallId);
  try {
    return await tool.run(input, { ...context, onNetwork: uses.add });
  } finally {
    await uses.end(turn);
  }
}

/** Marks a result that ends the turn, because a question came up and there was nobody to ask. */
export const needsApproval = { needsApproval: true } as const;

interface AccessAnswer {
  readonly denied: ToolResult | null;
  readonly network: GrantedRun['network'];
  /** Replaces what the model wrote. */
  readonly input?: unknown;
}

const granted: AccessAnswer = { denied: null, network: null };

function denied(result: ToolResult): AccessAnswer {
  return { denied: result, network: null };
}

function refusal(output: string, byNobody: boolean): AccessAnswer {
  return denied({ status: 'refused', output, ...(byNobody ? { data: needsApproval } : {}) });
}

/**
 * Asks the user before anything leaves the sandbox. Questions are asked inside the effect, like those about guarded
 * files, so that they lie in the log between `tool-started` and `tool-ended` and a replay does not ask again.
 */
async function askForAccess(turn: Turn, run: ToolRun): Promise<AccessAnswer> {
  if (run.tool.access === 'execute' && holdsPlaceholder(run.input))
    return denied({ status: 'error', output: onlyHidden });
  const { limits } = turn.prompt.conversation.skills();
  const narrowed = limits.length === 0 ? null : narrowedText(limits, run.tool, run.input);
  if (narrowed !== null) return denied({ status: 'refused', output: narrowed });
  const missing = await prepareToRun(turn, run.tool);
  if (missing !== null) return denied({ status: 'error', output: missing });
  const rule = callRule(run.tool.access, tierOfCall(turn, run.tool), turn.options.mode);
  if (rule === 'refused')
    return denied({ status: 'refused', output: `${run.tool.name} is not available: this session can only read.` });
  // A small model without an answer tends to write a file instead. Only an undoubted question counts as one
  // (`task-kind.ts`).
  if (run.tool.access === 'write' && turn.given.isQuestion) return denied({ status: 'refused', output: onlyAsked });
  if (run.tool.access === 'execute' && run.tool.connected === undefined) {
    const answer = await askNetwork(
      turn,
      run.toolCallId,
      run.wantsNetwork === true ? withNetwork(run.input) : run.input,
    );
    if (answer.type === 'granted') return { denied: null, network: answer };
    if (answer.type === 'denied' && answer.isMistake === true) return denied({ status: 'error', output: answer.text });
    if (answer.type === 'denied') return refusal(answer.text, answer.byNobody);
  }
  // A connected tool that runs in the sandbox needs no more approval than a command.
  if (run.tool.connected !== undefined && run.tool.access === 'network') {
    const { toolCallId, input } = run;
    const answer = await askConnectedCall(turn, { spec: run.tool.connected, toolCallId, input });
    return answer.type === 'granted'
      ? { denied: null, network: null, input: answer.input }
      : refusal(answer.text, answer.byNobody);
  }
  if (rule === 'free' || run.tool.needs === 'web') return granted;
  const subject = run.tool.label(run.input);
  const reason = 'It leaves the sandbox.';
  const answer = await askApproval(turn, { kind: 'network', subject, reason, toolCallId: run.toolCallId });
  return answer === 'allow' ? granted : refusal(`Not allowed: ${subject}`, answer === 'nobody');
}

/** A command would take the placeholder for the value. Only the one with a mark: others may be a project's own text. */
const holdsPlaceholder = (input: unknown): boolean =>
  /\[redacted:[^\]\n#]{1,80}#[0-9a-f]{6}\]/.test(JSON.stringify(input) ?? '');

const onlyHidden =
  'Nothing was run: a placeholder, [redacted:…], stands for a value that is hidden from you, and a command does not get that value. Change the file with an edit, or have the value read from where it is.';

const onlyAsked =
  'Nothing was changed: the person asked a question, and nothing may be changed then. Answer it; say in the answer what you would change.';

const statuses: readonly string[] = [
  'ok',
  'error',
  'refused',
  'timed-out',
  'cancelled',
  'unknown',
] satisfies ToolResult['status'][];

/** Validates what a tool returned, because connected tools are not bound by our types. */
function checkResult(value: unknown): ToolResult {
  const wrong = (what: string): ToolResult => ({
    status: 'error',
    output: `The tool gave back ${what}; its result is not known.`,
  });
  if (!isRecord(value)) return wrong('nothing that can be read');
  const { status, output, exitCode, data, pictures: given } = value;
  const pictures = picturesSchema.safeParse(given).data ?? [];
  if (!isStatus(status)) return wrong('no valid status');
  if (typeof output !== 'string') return wrong('no text');
  const code = typeof exitCode === 'number' && Number.isInteger(exitCode) ? exitCode : null;
  return { status, output, exitCode: code, data, pictures };
}

const picturesSchema = z.array(
  z.object({
    bytes: z.instanceof(Uint8Array),
    mediaType: imageTypeSchema,
    width: z.number().int().positive(),
    height: z.number().int().positive(),
  }),
);

function isStatus(value: unknown): value is ToolResult['status'] {
  return typeof value === 'string' && statuses.includes(value);
}

const mostDataCharacters = 1024 * 1024;
/** Enough for an image as Base64. */
const mostDrawnCharacters = 4 * 1024 * 1024;

function safeData(data: unknown, most: number): unknown {
  if (data === undefined) return null;
  try {
    const json = JSON.stringify(data);
    return json === undefined || json.length > most ? null : JSON.parse(json);
  } catch {
    // Data that is not JSON is dropped; the text of the result is what counts.
    return null;
  }
}
