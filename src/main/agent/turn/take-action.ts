import { AppError, messageOf } from '@shared/errors.ts';
import type { EventOf } from '@shared/events/events.ts';
import type { FileLook } from '@shared/events/tool-events.ts';
import { isFinding, pathsFound, pathsIn } from '../../safety/paths-in-calls.ts';
import { fieldOf } from '@shared/unknown-value.ts';
import { innerCallsOf } from '@shared/tools/composio.ts';
import type { EffectRecord } from '../../sessions/journal/journal.ts';
import type { Tool } from '../../tools/define.ts';
import { capOutput } from '../prompt/shorten-output.ts';
import type { ActingTurn, Turn } from './turn.ts';
import { noteFailure } from '../../lib/log.ts';

/** Something that a recipe does without a model. Logged like a tool call, but not counted as a step. */
export interface Action<T> {
  readonly tool: string;
  readonly label: string;
  readonly input: unknown;
  /** When a command is stopped; shown while it runs. */
  readonly limitMs?: number;
  /** Set if a server answers the action. Its output is untrusted. */
  readonly connected?: EventOf<'tool-started'>['connected'];
  /** Must not throw for an expected failure. `data` is JSON; a replay returns it. */
  run(toolCallId: string): Promise<ActionResult<T>>;
}

export interface ActionResult<T> {
  readonly status: EffectRecord['status'];
  readonly output: string;
  readonly exitCode?: number | null;
  readonly durationMs?: number;
  /** The whole output, if it was stored while it arrived. */
  readonly full?: EffectRecord['full'];
  readonly data: T;
}

/** Event data above this many bytes of JSON goes to a blob. */
const INLINE_DATA_BYTES = 32 * 1024;
const MAX_OUTPUT_CONTEXT_TOKENS = 32_768;

/**
 * Runs an action between `tool-started` and `tool-ended`. `parse` converts the data, which a replay takes from the log,
 * back to its type, and throws if the shape is wrong. Throws `cancelled` if the turn was aborted.
 */
export async function takeAction<T>(turn: ActingTurn, action: Action<T>, parse: (data: unknown) => T): Promise<T> {
  const { journal, effects } = turn.dependencies;
  const toolCallId = journal.newId('tool');
  await turn.log.append({
    type: 'tool-started',
    toolCallId,
    tool: action.tool,
    by: 'recipe',
    input: action.input,
    label: action.label,
    ...(action.limitMs === undefined ? {} : { limitMs: action.limitMs }),
    ...(await filesOf(turn, pathsIn(action.input))),
    ...(action.connected === undefined ? {} : { connected: action.connected }),
  });
  const record = await effects.perform(toolCallId, () => runAction(turn, action, toolCallId));
  await endTool(turn, { toolCallId, tool: action.tool }, record);
  const value = parse(record.data);
  checkAfter(turn, record);
  return value;
}

/**
 * Reacts to the end of a call or action. Throws `cancelled` after an abort. Throws `sandbox-lost` if the sandbox went
 * away and did not return in time: every further use would fail too, and a model would waste its tries on it.
 */
export function checkAfter(turn: ActingTurn, { status }: EffectRecord): void {
  if (status === 'cancelled') turn.abort();
  turn.log.check();
  // Read from the log, which records the loss before the end of the call, so that a replay stops at the same place.
  const lost = turn.dependencies.journal.state().sandbox?.lost ?? null;
  if (lost === null) return;
  const hint =
    'Bring back what is gone, the project folder or the container engine (`dewpoint doctor` says what it lacks). Then send "continue" to go on.';
  throw new AppError('sandbox-lost', `The sandbox is gone: ${lost}. Everything up to here is kept.`, { hint });
}

async function runAction<T>(turn: ActingTurn, action: Action<T>, toolCallId: string): Promise<EffectRecord> {
  const { journal } = turn.dependencies;
  const startedAt = journal.now();
  const uncountedBefore = uncountedMs(turn);
  if (turn.signal.aborted) return emptyRecord('cancelled', 'It was cancelled.');
  try {
    const result = await action.run(toolCallId);
    const capped = capOutput(result.output, MAX_OUTPUT_CONTEXT_TOKENS);
    return {
      status: result.status,
      output: capped.text,
      full: result.full ?? (capped.cut ? await journal.putText([result.output]) : null),
      exitCode: result.exitCode ?? null,
      durationMs: result.durationMs ?? Math.max(0, journal.now() - startedAt),
      waitedMs: uncountedMs(turn) - uncountedBefore,
      data: result.data,
    };
  } catch (error) {
    if (turn.signal.aborted) return emptyRecord('cancelled', 'It was cancelled.');
    return emptyRecord('error', messageOf(error));
  }
}

/** How long the turn has waited for the user so far, in milliseconds. */
export function waitedMs({ dependencies: { approver } }: Pick<Turn, 'dependencies'>): number {
  return Math.round(approver.waitedMs?.() ?? 0);
}

/** Time that does not count for the turn: waiting for the user and the sleep of the machine. */
export function uncountedMs(turn: Pick<Turn, 'dependencies'>): number {
  return waitedMs(turn) + Math.round(turn.dependencies.machine.sleptMs());
}

export function emptyRecord(status: EffectRecord['status'], output: string): EffectRecord {
  return { status, output, full: null, exitCode: null, durationMs: 0, data: null };
}

interface CallOfModel {
  readonly toolCallId: string;
  readonly tool: Tool;
  readonly input: unknown;
  /** Set for a call that a program made: the id of the program's own call. */
  readonly parent?: string;
}

/** Logs the start of a call by a model or by its program. */
export async function writeStart(turn: Pick<ActingTurn, 'dependencies' | 'log'>, call: CallOfModel): Promise<void> {
  const { toolCallId, tool, input, parent } = call;
  await turn.log.append({
    type: 'tool-started',
    toolCallId,
    tool: tool.name,
    ...(parent === undefined ? {} : { parent }),
    by: 'model',
    input,
    label: labelOf(call),
    ...limitOf(call, turn.dependencies.config.commandTimeoutMs),
    ...(await filesOf(turn, pathsIn(input))),
    ...connectedOf(call),
  });
}

/** When the command of a call is stopped. Other tools have no such limit, or one that is never met. */
function limitOf({ tool, input }: CallOfModel, usualMs: number): Pick<EventOf<'tool-started'>, 'limitMs'> {
  if (tool.access !== 'execute' || tool.connected !== undefined || tool.isProgram === true) return {};
  const wanted = fieldOf(input, 'timeoutSeconds');
  return { limitMs: typeof wanted === 'number' ? wanted * 1000 : usualMs };
}

/** A path may be a link, or another name of a file: the log says which file it was, at that moment. */
async function filesOf(
  { dependencies: { project } }: Pick<ActingTurn, 'dependencies'>,
  paths: Iterable<string>,
): Promise<{ readonly files?: FileLook[] }> {
  const files = await project.lookAtFiles(paths);
  return files.length === 0 ? {} : { files: [...files] };
}

export function labelOf({ tool, input }: Pick<CallOfModel, 'tool' | 'input'>): string {
  try {
    return tool.label(input);
  } catch (error) {
    // A label is only shown; a tool whose label fails still runs.
    noteFailure('The label of a tool failed', error);
    return tool.name;
  }
}

/** Who answers a tool that is not built in. It decides what untrusted text the session has seen from then on. */
function connectedOf({ tool: { connected }, input }: CallOfModel): Pick<EventOf<'tool-started'>, 'connected'> {
  if (connected === undefined) return {};
  const { server, leaves, readsFiles, isRouter, own } = connected;
  const carries = isRouter === true ? innerCallsOf(input).calls.length : 0;
  const program = own?.isProgram === true ? ({ isProgram: true } as const) : {};
  return { connected: { server, leaves, readsFiles, ...program, ...(carries === 0 ? {} : { carries }) } };
}

/** Logs the end of a call or action. Large data goes to a blob. */
export async function endTool(turn: ActingTurn, call: EndedCall, record: EffectRecord): Promise<void> {
  const { waitedMs = 0 } = record;
  if (waitedMs > 0) turn.limits.noteWaitInEffect(waitedMs);
  await writeEnd(turn, call, record);
}

interface EndedCall {
  readonly toolCallId: string;
  readonly tool: string;
  /** Set for a call that a program made: the id of the program's own call. */
  readonly parent?: string;
  /** The earlier call with the same result, if the conversation shows that. */
  readonly sameAs?: string;
}

/** Like `endTool`, for a call inside a program: its wait is not counted, because the program's own end counts it. */
export async function writeEnd(
  turn: Pick<ActingTurn, 'dependencies' | 'log'>,
  call: EndedCall,
  record: EffectRecord,
): Promise<void> {
  const json = record.data === null || record.data === undefined ? null : JSON.stringify(record.data);
  const { waitedMs = 0 } = record;
  const isLarge = json !== null && json.length > INLINE_DATA_BYTES;
  await turn.log.close({
    type: 'tool-ended',
    ...call,
    status: record.status,
    output: record.output,
    full: record.full,
    exitCode: record.exitCode,
    durationMs: record.durationMs,
    ...(waitedMs === 0 ? {} : { waitedMs }),
    ...(record.reusedFrom === undefined ? {} : { reusedFrom: record.reusedFrom }),
    data: isLarge || record.data === undefined ? null : record.data,
    ...(isFinding(call.tool) ? await filesOf(turn, pathsFound(record)) : {}),
    ...(record.pictures === undefined ? {} : { pictures: [...record.pictures] }),
    dataBlob: isLarge ? await turn.dependencies.journal.putText([json]) : null,
  });
}
