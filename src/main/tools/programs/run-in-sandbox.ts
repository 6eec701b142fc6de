import nodeClient from '../../../../resources/programs/tools/node-client.cjs?raw';
import pythonClient from '../../../../resources/programs/tools/python-client.py?raw';
import { messageOf } from '@shared/errors.ts';
import type { ToolStatus } from '@shared/events/tool-events.ts';
import type { ProgramLanguage } from '@shared/tools/program-tool.ts';
import { childAbort } from '../../lib/async/child-abort.ts';
import { timerWithPauses } from '../../lib/async/deadline-pause.ts';
import { shellQuote } from '../../lib/programs/shell-quote.ts';
import type { OpenProcess, OutputChunk, Sandbox } from '../../sandbox/sandbox.ts';
import { inputJsonSchema, isRawInput } from '../define.ts';
import type { Tool } from '../define.ts';
import type { ProgramCallResult, ProgramDoor } from './program-calls.ts';
import type { ProgramFrame, ProgramImport } from './program-frames.ts';
import { createFrameReader } from './program-frames.ts';
import { programLimits } from './program-limits.ts';
import { leavingIn, type Announcement } from './program-announcement.ts';

export type ProgramEnd =
  /** `state`: what the program leaves for later programs of the session. */
  | { readonly type: 'done'; readonly value: unknown; readonly state?: unknown }
  | { readonly type: 'failed'; readonly error: string; readonly line: number | null; readonly trace: string }
  /** The program was checked, and none of it ran. */
  | { readonly type: 'not-run'; readonly problems: readonly string[] }
  | {
      readonly type: 'stopped';
      readonly status: Exclude<ToolStatus, 'ok'>;
      readonly reason: string;
      /** Nobody could be asked. */
      readonly isUnanswered?: boolean;
    };

export interface MadeCall {
  readonly tool: string;
  readonly status: ToolStatus;
  readonly text: string;
  readonly exitCode: number | null;
  readonly ms: number;
}

export interface ProgramOutcome {
  readonly end: ProgramEnd;
  /** The end of the printed output. */
  readonly printed: string;
  /** In the order in which they ended. */
  readonly calls: readonly MadeCall[];
  /** How many tests of its own ran before it. */
  readonly tests: number;
  readonly mostTogether: number;
  readonly ms: number;
  readonly isUnanswered: boolean;
}

/** The values that a program starts with. */
export interface ProgramInput {
  /** Only for kept programs: the arguments of the call. */
  readonly arguments: Readonly<Record<string, unknown>>;
  /** The state that an earlier program of the session left last. */
  readonly state: unknown;
  /** The kept programs that it imports, by name. */
  readonly modules: Readonly<Record<string, string>>;
}

export interface ProgramRun extends ProgramInput {
  readonly language: ProgramLanguage;
  readonly program: string;
  readonly announcement: Announcement;
  readonly door: Pick<ProgramDoor<Tool>, 'tools' | 'read' | 'call' | 'heldMs'>;
  readonly sandbox: Pick<Sandbox, 'open'>;
  readonly timeoutMs: number;
  readonly onPrinted: (bytes: Uint8Array) => void;
  /** Called after the check and before the run. Null: the program may run. */
  readonly approve: (imports: readonly ProgramImport[]) => Promise<ProgramEnd | null>;
}

interface State {
  readonly run: ProgramRun;
  readonly signal: AbortSignal;
  readonly finish: (end: ProgramEnd) => void;
  phase: 'checking' | 'asking' | 'running' | 'over';
  process: OpenProcess | null;
  lastId: number;
  /** What it printed: how much, and the end of it. */
  readonly printed: { readonly decoder: InstanceType<typeof TextDecoder>; bytes: number; end: string };
  readonly calls: MadeCall[];
  tests: number;
  /** Calls that have not ended yet. */
  readonly open: Set<Promise<void>>;
  readonly waiting: (() => void)[];
  together: number;
  mostTogether: number;
  isUnanswered: boolean;
  stopTimer: () => void;
}

const keptPrinted = 8_000;
const checkMs = 60_000;

/**
 * Checks a program in the sandbox, asks for approval, and runs it there. Its calls go through the door, limited in how
 * many run at once. When this resolves, all of its processes are dead and none of its calls is running.
 */
export async function runInSandbox(run: ProgramRun, signal: AbortSignal): Promise<ProgramOutcome> {
  const startedAt = performance.now();
  const child = childAbort(signal);
  let finish: (end: ProgramEnd) => void = () => undefined;
  const ended = new Promise<ProgramEnd>((resolve) => {
    finish = resolve;
  });
  const state = newState(run, child.signal, finish);
  const onAbort = (): void => finish(stopped('cancelled', 'It was cancelled.'));
  signal.addEventListener('abort', onAbort, { once: true });
  if (signal.aborted) onAbort();
  try {
    await begin(state);
    const end = await ended;
    state.phase = 'over';
    return { ...outcomeOf(state, end), ms: performance.now() - startedAt };
  } finally {
    signal.removeEventListener('abort', onAbort);
    state.stopTimer();
    child.abort();
    for (const next of state.waiting.splice(0)) next();
    await state.process?.close();
    await Promise.all(state.open);
    child.release();
  }
}

function newState(run: ProgramRun, signal: AbortSignal, finish: State['finish']): State {
  return {
    run,
    signal,
    finish,
    phase: 'checking',
    process: null,
    lastId: 0,
    printed: { decoder: new TextDecoder(), bytes: 0, end: '' },
    calls: [],
    tests: 0,
    open: new Set(),
    waiting: [],
    together: 0,
    mostTogether: 0,
    isUnanswered: false,
    stopTimer: () => undefined,
  };
}

function outcomeOf(state: State, end: ProgramEnd): Omit<ProgramOutcome, 'ms'> {
  const { printed, calls, tests, mostTogether, isUnanswered } = state;
  return { end, printed: printed.end, calls: [...calls], tests, mostTogether, isUnanswered };
}

function stopped(status: Exclude<ToolStatus, 'ok'>, reason: string): ProgramEnd {
  return { type: 'stopped', status, reason };
}

async function begin(state: State): Promise<void> {
  const { run, signal, finish } = state;
  const read = createFrameReader((frame) => take(state, frame));
  const onOutput = ({ stream, bytes }: OutputChunk): void => {
    if (state.phase === 'over') return;
    if (stream === 'stderr') return print(state, bytes);
    try {
      read(bytes);
    } catch (error) {
      state.phase = 'over';
      finish(stopped('error', `It was ended: ${messageOf(error)}.`));
    }
  };
  const opened = await run.sandbox.open({ command: commands[run.language], onOutput }, signal);
  if (!opened.ok) return finish(stopped('error', `It was not run: ${opened.error.message}`));
  state.process = opened.value;
  state.stopTimer = timerWithPauses(checkMs, run.door.heldMs, () =>
    finish(stopped('timed-out', 'It could not be checked in time.')),
  );
  void opened.value.ended.then(({ exitCode }) => finish(stopped('error', endedText(state, exitCode))));
  const { entries } = run.announcement;
  await send(state, {
    program: run.program,
    arguments: run.arguments,
    state: run.state,
    modules: run.modules,
    tools: Object.fromEntries(run.door.tools.map((tool) => [tool.name, argumentsOf(tool)])),
    announced: entries.map(({ tool }) => tool.name),
    leaves: leavingIn(run.announcement).length > 0,
  });
}

/**
 * Without the packages of the user (`-s`), which commands can write. Node reserves far more address space than it uses, so its limit is on
 * data (`ulimit -d`).
 */
const commands: Readonly<Record<ProgramLanguage, string>> = {
  python: `ulimit -v ${programLimits.memoryKb} 2>/dev/null; exec python3 -s -u -c ${shellQuote(pythonClient)}`,
  javascript: `ulimit -d ${programLimits.memoryKb} 2>/dev/null; exec 3<&0 4>&1 </dev/null >&2; exec node --no-warnings --experimental-vm-modules --expose-internals -e ${shellQuote(nodeClient)}`,
};

function endedText({ phase, run: { language } }: State, exitCode: number | null): string {
  const name = language === 'python' ? 'Python' : 'Node';
  if (phase === 'checking' && exitCode === 127)
    return `It was not run: there is no ${name} in the image of the sandbox.`;
  if (phase === 'checking' && exitCode === 126)
    return `It was not run: the ${name} in the image of the sandbox cannot run programs of agents. It needs Node 22.15, or a newer one.`;
  return `It ended by itself with code ${exitCode ?? 'unknown'}, before it gave anything back. It may have used too much memory.`;
}

/** The facts about a tool that the check needs. */
function argumentsOf(tool: Tool): object {
  const { name, input } = tool;
  const schema = inputJsonSchema(tool);
  const { properties, required } = schema;
  // The schema of a connected tool may allow other arguments.
  const isOpen = isRawInput(input) && schema.additionalProperties !== false;
  const takes = isOpen || typeof properties !== 'object' || properties === null ? null : Object.keys(properties);
  return { name, takes, needs: Array.isArray(required) ? required : [] };
}

function print(state: State, bytes: Uint8Array): void {
  const { printed } = state;
  printed.bytes += bytes.length;
  printed.end = `${printed.end}${printed.decoder.decode(bytes, { stream: true })}`.slice(-keptPrinted);
  state.run.onPrinted(bytes);
  if (printed.bytes > programLimits.printedBytes)
    state.finish(stopped('error', 'It was ended: it printed more than 1 MB.'));
}

function take(state: State, frame: ProgramFrame): void {
  const { phase } = state;
  if (frame.type === 'checked' && phase === 'checking') {
    state.phase = 'asking';
    state.tests = frame.tests ?? 0;
    state.stopTimer();
    if (frame.problems.length > 0) state.finish({ type: 'not-run', problems: frame.problems });
    else void start(state, frame.imports ?? []);
    return;
  }
  if (phase !== 'running' || frame.type === 'checked') throw new Error('it sent a frame out of its turn');
  if (frame.type !== 'call') return state.finish(frame);
  if (frame.id !== state.lastId + 1) throw new Error('it sent a call with a number that is not the next');
  state.lastId = frame.id;
  if (frame.id > programLimits.calls) throw new Error(`it made more than ${programLimits.calls} calls`);
  const call = makeCall(state, frame).catch((error: unknown) =>
    state.finish(stopped('error', `It was ended: ${messageOf(error)}`)),
  );
  state.open.add(call);
  void call.then(() => state.open.delete(call));
}

async function start(state: State, imports: readonly ProgramImport[]): Promise<void> {
  const { run, finish } = state;
  try {
    const refused = await run.approve(imports);
    if (refused !== null) return finish(refused);
  } catch (error) {
    return finish(stopped(state.signal.aborted ? 'cancelled' : 'error', messageOf(error)));
  }
  if (state.phase !== 'asking') return;
  state.phase = 'running';
  state.stopTimer = timerWithPauses(run.timeoutMs, run.door.heldMs, () =>
    finish(stopped('timed-out', `It was stopped after ${Math.round(run.timeoutMs / 1000)} s.`)),
  );
  await send(state, { type: 'go' });
}

async function makeCall(state: State, { id, tool, input }: Extract<ProgramFrame, { type: 'call' }>): Promise<void> {
  // A call that ends passes its slot on to the next one.
  if (state.together >= programLimits.together) await new Promise<void>((next) => state.waiting.push(next));
  else state.together += 1;
  state.mostTogether = Math.max(state.mostTogether, state.together);
  const startedAt = performance.now();
  try {
    // The run may have ended while the call waited.
    if (state.signal.aborted) return;
    const result = await resultOf(state, tool, input);
    const { status, text, exitCode } = result;
    state.isUnanswered ||= result.isUnanswered;
    const said = text.length > 500 ? `${text.slice(0, 500)} …` : text;
    state.calls.push({ tool, status, text: said, exitCode, ms: performance.now() - startedAt });
    await send(state, { id, status, text, exitCode, data: result.data });
  } finally {
    const next = state.waiting.shift();
    if (next === undefined) state.together -= 1;
    else next();
  }
}

async function resultOf({ run, signal }: State, name: string, given: unknown): Promise<ProgramCallResult> {
  const { door, announcement } = run;
  const none = { exitCode: null, data: null, isUnanswered: false };
  const announced = announcement.entries.find(({ tool }) => tool.name === name);
  if (announced === undefined) {
    const text = `"${name}" is not among the announced calls, so it was not made.`;
    return { status: 'refused', text, ...none };
  }
  const read = door.read(announced.tool, given);
  if ('problem' in read) return { status: 'error', text: read.problem, ...none };
  const taken = announcement.take(name, read.input);
  if ('problem' in taken) return { status: 'refused', text: `Not made: ${taken.problem}`, ...none };
  const result = await door.call({ tool: taken.tool, input: read.input, hosts: taken.hosts }, signal);
  const { text } = result;
  if (text.length <= programLimits.resultCharacters) return result;
  const left = text.length - programLimits.resultCharacters;
  return {
    ...result,
    text: `${text.slice(0, programLimits.resultCharacters)}\n[${left} more characters were left out]`,
  };
}

async function send({ process }: State, frame: object): Promise<void> {
  await process?.write(Buffer.from(`${JSON.stringify(frame)}\n`));
}
