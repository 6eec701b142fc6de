import { AppError, messageOf } from '@shared/errors.ts';
import type { EventOf } from '@shared/events/events.ts';
import { innerCallsOf } from '@shared/tools/composio.ts';
import type { EffectRecord } from '../../sessions/journal/journal.ts';
import type { Tool } from '../../tools/define.ts';
import { capOutput } from '../prompt/shorten-output.ts';
import type { ActingTurn, Turn } from './turn.ts';

/** Something a program does by itself, without a model: logged like a tool call, not counted as a step. */
export interface Action<T> {
  readonly tool: string;
  readonly label: string;
  readonly input: unknown;
  /** A server answers it: what comes back is a stranger's. */
  readonly foreign?: EventOf<'tool-started'>['foreign'];
  /** Must not throw for an expected failure. `data` is JSON; it is what a replay hands back. */
  run(toolCallId: string): Promise<ActionResult<T>>;
}

export interface ActionResult<T> {
  readonly status: EffectRecord['status'];
  readonly output: string;
  readonly exitCode?: number | null;
  readonly durationMs?: number;
  /** The whole output, where it was kept while it came. */
  readonly full?: EffectRecord['full'];
  readonly data: T;
}

/** The data of an event above this many bytes of JSON lies in a blob. */
const INLINE_DATA_BYTES = 32 * 1024;
const MAX_OUTPUT_CONTEXT_TOKENS = 32_768;

/**
 * Takes an action between `tool-started` and `tool-ended`. `parse` turns the data, which in a replay comes from a
 * log, back into its type; it throws when it has another shape. Throws `cancelled` when the turn was aborted.
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
    ...(action.foreign === undefined ? {} : { foreign: action.foreign }),
  });
  const record = await effects.perform(toolCallId, () => runAction(turn, action, toolCallId));
  await endTool(turn, toolCallId, action.tool, record);
  const value = parse(record.data);
  checkAfter(turn, record);
  return value;
}

/**
 * What a call or action means for its turn. Throws `cancelled`; and `sandbox-lost` where the sandbox went away meanwhile
 * and was waited for in vain: every other use of it would fail, too, and a model would spend its tries on that.
 */
export function checkAfter(turn: ActingTurn, { status }: EffectRecord): void {
  if (status === 'cancelled') turn.abort();
  turn.log.check();
  // By the log, where the loss stands before the end of the call: a replay stops at the same place.
  const lost = turn.dependencies.journal.state().sandbox?.lost ?? null;
  if (lost === null) return;
  const hint = 'Bring the container engine back (`dewpoint doctor` says what it lacks), then send "continue" to go on.';
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

/** How long the person has been waited for so far. */
export function waitedMs({ dependencies: { approver } }: Pick<Turn, 'dependencies'>): number {
  return Math.round(approver.waitedMs?.() ?? 0);
}

/** The same with the sleep of the machine: what is not the turn's time. */
export function uncountedMs(turn: Pick<Turn, 'dependencies'>): number {
  return waitedMs(turn) + Math.round(turn.dependencies.sleptMs?.() ?? 0);
}

export function emptyRecord(status: EffectRecord['status'], output: string): EffectRecord {
  return { status, output, full: null, exitCode: null, durationMs: 0, data: null };
}

interface CallOfModel {
  readonly toolCallId: string;
  readonly tool: Tool;
  readonly input: unknown;
  /** The call of the program that made it. */
  readonly parent?: string;
}

/** Writes the begin of a call of a model, or of its program. */
export async function writeStart({ log }: Pick<ActingTurn, 'log'>, call: CallOfModel): Promise<void> {
  const { toolCallId, tool, input, parent } = call;
  await log.append({
    type: 'tool-started',
    toolCallId,
    tool: tool.name,
    ...(parent === undefined ? {} : { parent }),
    by: 'model',
    input,
    label: labelOf(call),
    ...foreignOf(call),
  });
}

export function labelOf({ tool, input }: Pick<CallOfModel, 'tool' | 'input'>): string {
  try {
    return tool.label(input);
  } catch {
    // A label is for people; a tool whose label fails still runs.
    return tool.name;
  }
}

/** Who answers a tool of others: that decides what a session has met from then on. */
function foreignOf({ tool: { foreign }, input }: CallOfModel): Pick<EventOf<'tool-started'>, 'foreign'> {
  if (foreign === undefined) return {};
  const { server, leaves, readsFiles, isRouter, own } = foreign;
  const carries = isRouter === true ? innerCallsOf(input).length : 0;
  const program = own?.isProgram === true ? ({ isProgram: true } as const) : {};
  return { foreign: { server, leaves, readsFiles, ...program, ...(carries === 0 ? {} : { carries }) } };
}

/** Writes the end of a call or action; large data goes to a blob. */
export async function endTool(turn: ActingTurn, toolCallId: string, tool: string, record: EffectRecord): Promise<void> {
  const { waitedMs = 0 } = record;
  if (waitedMs > 0) turn.limits.noteWaitInEffect(waitedMs);
  await writeEnd(turn, { toolCallId, tool }, record);
}

/** The same for a call of a program, whose own end counts for the limits. */
export async function writeEnd(
  turn: Pick<ActingTurn, 'dependencies' | 'log'>,
  call: { readonly toolCallId: string; readonly tool: string; readonly parent?: string },
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
    ...(record.pictures === undefined ? {} : { pictures: [...record.pictures] }),
    dataBlob: isLarge ? await turn.dependencies.journal.putText([json]) : null,
  });
}
