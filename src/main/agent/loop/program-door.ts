import { isRecord } from '@shared/unknown-value.ts';
import { programLanguageOf } from '@shared/tools/program-tool.ts';
import type { ProgramWriter } from '@shared/tools/program-writer.ts';
import { sha256Of } from '../../lib/sha256.ts';
import { loadSyntax } from '../../recipes/code/code-syntax.ts';
import { createLogFold } from '../../sessions/journal/log-fold.ts';
import type { EffectRecord } from '../../sessions/journal/journal.ts';
import type { Tool } from '../../tools/define.ts';
import { isFinder } from '../../tools/connected/find-tools.ts';
import type {
  EarlierPrograms,
  KeptProgram,
  ProgramCall,
  ProgramCallResult,
  ProgramDoor,
} from '../../tools/programs/program-calls.ts';
import { askApproval } from '../approval/request-approval.ts';
import { fitInput } from '../calls/read-arguments.ts';
import { askProgramReviewer } from '../step/ask-program-reviewer.ts';
import { waitedMs, writeEnd, writeStart } from '../turn/take-action.ts';
import type { Turn } from '../turn/turn.ts';
import { readEarlierCalls } from './earlier-calls.ts';
import { isLeft } from './narrowed-tools.ts';
import { toolsOfTurn } from './plan-notes.ts';

/** Runs one tool for a model: `runTool`. */
type RunTool = (
  turn: Turn,
  run: {
    readonly tool: Tool;
    readonly input: unknown;
    readonly toolCallId: string;
    readonly contextTokens: number;
    readonly seesImages: boolean;
  },
) => Promise<EffectRecord>;

interface Parent {
  readonly toolCallId: string;
  readonly contextTokens: number;
}

/** A program may not start agents, end the task or find tools: found tools would have to be announced first. */
function isCallable(tool: Tool): boolean {
  return tool.access !== 'end' && tool.isLong !== true && !isFinder(tool) && tool.needs !== 'results';
}

/**
 * Lets a program call the tools of its turn. Each call is logged with its parent and passes every check of a model's
 * own call. The user's approval of the program answers questions about the hosts and tools that it covered.
 */
export function createProgramDoor(turn: Turn, parent: Parent, runTool: RunTool): ProgramDoor<Tool> {
  const { limits } = turn.prompt.conversation.skills();
  const tools = toolsOfTurn(turn).filter((tool) => isCallable(tool) && isLeft(limits, tool));
  const state: DoorState = { hasYes: false, made: 0, changing: Promise.resolve() };
  return {
    tools,
    read: (tool, input) => {
      const fitted = fitInput(input, tool.input);
      if (fitted.ok) return { input: fitted.input };
      return { problem: `The arguments of ${tool.name} are not right: ${fitted.problem}.` };
    },
    earlier: (sha256) => readEarlier(turn, sha256),
    writer: () => writerOf(turn, parent.toolCallId),
    earlierCalls: () => readEarlierCalls(turn.dependencies.journal),
    kept: () => keptPrograms(turn),
    loadSyntax,
    review: (text) => askProgramReviewer(turn, text),
    ask: async ({ subject, reason, text, review }) => {
      const shown = { sha256: sha256Of(text), text, diff: null };
      const answer = await askApproval(turn, {
        kind: 'program',
        subject,
        reason,
        toolCallId: parent.toolCallId,
        shown,
        ...(review === undefined ? {} : { review }),
      });
      state.hasYes = answer === 'allow';
      return answer;
    },
    call: (call, signal) => callTool({ turn, parent, runTool, state }, call, signal),
    heldMs: () => waitedMs(turn),
  };
}

interface DoorState {
  hasYes: boolean;
  /** The calls so far, which count for the turn's limit. */
  made: number;
  /** Calls that may change files run one after the other, so that each change belongs to one call. */
  changing: Promise<unknown>;
}

interface Door {
  readonly turn: Turn;
  readonly parent: Parent;
  readonly runTool: RunTool;
  readonly state: DoorState;
}

async function callTool(door: Door, call: ProgramCall<Tool>, signal: AbortSignal): Promise<ProgramCallResult> {
  const { state } = door;
  const stop = door.turn.limits.callsStop(state.made);
  if (stop !== null) return notMade('refused', stop.text);
  state.made += 1;
  const tool = call.tool.as?.(call.input) ?? call.tool;
  if (tool.access !== 'write' && tool.access !== 'execute') return callNow(door, { ...call, tool }, signal);
  const made = state.changing.then(() => callNow(door, { ...call, tool }, signal));
  state.changing = made.catch(() => undefined);
  return made;
}

async function callNow({ turn, parent, runTool, state }: Door, call: ProgramCall<Tool>, signal: AbortSignal) {
  const { journal } = turn.dependencies;
  const { tool, input, hosts } = call;
  const toolCallId = journal.newId('tool');
  const own = { toolCallId, parent: parent.toolCallId };
  if (signal.aborted) return notMade('cancelled', 'It was cancelled.');
  await writeStart(turn, { ...own, tool, input });
  const inner: Turn = {
    ...turn,
    signal,
    asking: {
      // A denial that follows from the announcement does not count as a refusal by the user.
      refusals: new Map(),
      announced: (about) => {
        if (about.kind === 'connected-tool') return state.hasYes ? 'allow' : 'deny';
        if (about.hosts === null || hosts.length === 0) return null;
        return state.hasYes && about.hosts.every((host) => hosts.includes(host)) ? 'allow' : 'deny';
      },
    },
  };
  // A program gets the text of a result alone.
  const reader = { contextTokens: parent.contextTokens, seesImages: false };
  const record = await runTool(inner, { tool, input, toolCallId, ...reader });
  await writeEnd(turn, { ...own, tool: tool.name }, record);
  return resultOf(turn, record);
}

function notMade(status: 'cancelled' | 'refused', text: string): ProgramCallResult {
  return { status, text, exitCode: null, data: null, isUnanswered: false };
}

/** The whole result, if the log has more than a model would be shown. */
async function resultOf({ dependencies }: Turn, record: EffectRecord): Promise<ProgramCallResult> {
  const { status, output, full, exitCode, data } = record;
  const bytes = full === null ? null : await dependencies.journal.getBlob(full);
  const text = bytes === null ? output : Buffer.from(bytes).toString('utf8');
  const isUnanswered = isRecord(data) && data.needsApproval === true;
  return { status, text, exitCode, data, isUnanswered };
}

/** The model that made a call, as the log and the facts of the turn know it. */
function writerOf({ dependencies, found: { facts } }: Turn, toolCallId: string): ProgramWriter {
  const { toolCalls, steps } = dependencies.journal.state();
  const callId = toolCalls.find((one) => one.toolCallId === toolCallId)?.callId;
  const model = steps.find((one) => one.callId === callId)?.model ?? null;
  const infos = [facts?.local, facts?.cloud, ...(facts?.others ?? [])];
  const digest = infos.find((info) => info?.id === model)?.digest ?? null;
  return { model, digest, app: dependencies.tools.appVersion };
}

/** The approved programs of the project, with their present texts. */
async function keptPrograms({ found, dependencies: { tools } }: Turn): Promise<readonly KeptProgram[]> {
  const specs = (found.facts?.connected ?? []).filter(({ own }) => own?.isProgram === true);
  const texts = await Promise.all(
    specs.map(async (spec) => ({ spec, text: await tools.connected?.programText?.(spec) })),
  );
  return texts.flatMap(({ spec: { name, own }, text }) => {
    const language = programLanguageOf(own?.file ?? '');
    const writer = own?.writer ?? null;
    return typeof text === 'string' && language !== null ? [{ name, language, text, writer }] : [];
  });
}

/** Read from the log, so that it survives a restart. */
async function readEarlier({ id, dependencies: { journal } }: Turn, sha256: string): Promise<EarlierPrograms> {
  const { failedText, failedIn, state } = await programsIn(journal);
  return { sameFailed: failedText.get(sha256) ?? null, failed: failedIn.get(id) ?? 0, state };
}

interface ProgramsOfLog {
  /** The output of each program that failed, by its hash, until something changed. */
  readonly failedText: Map<unknown, string>;
  /** How many failed, by turn. */
  readonly failedIn: Map<string, number>;
  state: unknown;
}

const programsIn = createLogFold<ProgramsOfLog>(
  () => ({ failedText: new Map(), failedIn: new Map(), state: {} }),
  (programs, event) => {
    const { failedText, failedIn } = programs;
    if (event.type === 'file-changed') failedText.clear();
    if (event.type !== 'tool-ended') return;
    if (event.tool === 'run_command' && event.exitCode === 0) failedText.clear();
    const program = isRecord(event.data) ? event.data.program : null;
    if (!isRecord(program)) return;
    const isFailed = program.end === 'failed' || program.end === 'not-run';
    const { turnId } = event;
    if (isFailed && turnId !== undefined) failedIn.set(turnId, (failedIn.get(turnId) ?? 0) + 1);
    const sha256 = program.runSha256 ?? program.sha256;
    if (isFailed) failedText.set(sha256, event.output);
    else failedText.delete(sha256);
    if (isRecord(program.state)) programs.state = program.state;
  },
);
