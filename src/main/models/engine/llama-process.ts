import type { ChildProcess } from 'node:child_process';
import { constants, setPriority } from 'node:os';
import { z } from 'zod';
import { messageOf } from '@shared/errors.ts';
import type { HostPrograms, ProgramNeeds } from '../../lib/programs/host-programs.ts';
import { diagnostics, diagnosticsFolder, noteFailure } from '../../lib/log.ts';
import { recordFolder } from '../../lib/net/record-of-sends.ts';
import { fromWorkerSchema } from './worker/worker-protocol.ts';
import { outOfMemoryLines } from './out-of-memory-lines.ts';
import { watchMemory } from './process-memory.ts';
import type { EngineError, FromWorker, ToWorker } from './worker/worker-protocol.ts';

export interface LlamaProcessOptions {
  /** The program that runs the worker (Node 24), and the built worker. */
  readonly nodePath: string;
  readonly workerPath: string;
  readonly programs: HostPrograms;
  /** A process for downloads may use the network. One for models gets no key and no network settings. */
  readonly work?: 'models' | 'downloads';
  /** The folder of downloaded libraries for cards. Absent: there are none. */
  readonly enginesDir?: string | undefined;
  /** Everything else on this machine goes first. */
  readonly isPolite?: boolean;
  /** A process that has open questions and answers no ping for this long is killed. */
  readonly hangMs: number;
}

/** A message to the worker without its id. */
type Ask = ToWorker extends infer Message
  ? Message extends { readonly id: number }
    ? Omit<Message, 'id'>
    : never
  : never;

/** The running engine process. When it ends for any reason, every open question gets `failed`. */
export interface LlamaProcess {
  readonly pid: number | undefined;
  readonly isAlive: boolean;
  /** Whether any question is still open. */
  isBusy(): boolean;
  /**
   * Sends a message. `listen` gets every answer with its id until it returns true, or one `failed` if the process is
   * lost.
   */
  ask(message: Ask, listen: (answer: FromWorker) => boolean): number;
  abort(id: number): void;
  kill(): void;
}

/** The output that is kept for an error message. */
const keptOutputCharacters = 16_000;
/** How often the memory of a process is checked: while it starts, and always if it has limits. */
const lookMs = 50;
const startsForMs = 2_000;

export function startLlamaProcess(options: LlamaProcessOptions): LlamaProcess {
  const child = forkWorker(options);
  const lastWords = listenToOutput(child);
  const listeners = new Map<number, (answer: FromWorker) => boolean>();
  const heart = createHeart(options.hangMs, () => listeners.size > 0);
  const memory = guardMemory(child.pid, options.hangMs * 4);
  let nextId = 1;
  let isAlive = true;
  let isWanted = false;
  const lose = (reason: string, signal: NodeJS.Signals | null = null): void => {
    if (!isAlive) return;
    isAlive = false;
    heart.stop();
    memory.stop();
    const said = lastWords();
    const error = lossError(reason, said, memory.verdict(signal, said.trim() === ''));
    if (!isWanted) diagnostics.warn(`engine ${child.pid ?? ''}: ${error.code}: ${error.message}`);
    for (const [id, listen] of listeners) listen({ type: 'failed', id, error });
    listeners.clear();
  };
  const send = (message: ToWorker): void => {
    if (child.connected) child.send(message, (error) => (error === null ? undefined : lose(error.message)));
  };
  const giveUp = (reason: string): void => {
    lose(reason);
    child.kill('SIGKILL');
  };
  watchEnd(child, lose);
  child.on('message', (raw: unknown) => {
    heart.beat();
    for (const answer of answersFrom(raw, [...listeners.keys()])) {
      memory.noteWork();
      if (listeners.get(answer.id)?.(answer) === true) listeners.delete(answer.id);
    }
  });
  heart.start(
    () => (memory.isStuck() ? giveUp('got no further') : send({ type: 'ping', id: 0 })),
    () => giveUp(`did not answer for ${Math.round(options.hangMs / 1000)} seconds`),
    () => memory.noteWork(),
  );
  return {
    pid: child.pid,
    get isAlive() {
      return isAlive;
    },
    isBusy: () => listeners.size > 0,
    ask(message, listen) {
      const id = nextId;
      nextId += 1;
      if (!isAlive) {
        listen({ type: 'failed', id, error: lossError('is gone', lastWords(), null) });
        return id;
      }
      listeners.set(id, listen);
      heart.beat();
      memory.noteWork();
      send({ ...message, id });
      return id;
    },
    abort: (id) => send({ type: 'abort', id }),
    kill: () => {
      isWanted = true;
      giveUp('was ended by the app');
    },
  };
}

type Answer = Exclude<FromWorker, { readonly type: 'ready' | 'pong' }>;

const anyAnswerSchema = z.object({ id: z.number() });

/**
 * The answers in a message; none for a sign of life. A message that cannot be parsed may be the final answer to a
 * question. So that question fails, or every open one if the message has no id. Otherwise a caller would wait
 * forever.
 */
function answersFrom(raw: unknown, open: readonly number[]): readonly Answer[] {
  const parsed = fromWorkerSchema.safeParse(raw);
  if (parsed.success) return parsed.data.type === 'ready' || parsed.data.type === 'pong' ? [] : [parsed.data];
  const error: EngineError = {
    code: 'internal',
    message: `The engine process sent a message that Dewpoint does not understand: ${z.prettifyError(parsed.error)}`,
  };
  const named = anyAnswerSchema.safeParse(raw);
  const ids = named.success ? [named.data.id] : open;
  return ids.map((id) => ({ type: 'failed', id, error }));
}

const needsOf: Readonly<Record<'models' | 'downloads', ProgramNeeds['needs']>> = {
  models: ['card'],
  downloads: ['network', 'hub'],
};

function forkWorker(options: LlamaProcessOptions): ChildProcess {
  const { workerPath, nodePath, enginesDir, programs } = options;
  const folders = [enginesDir, diagnosticsFolder(), recordFolder()].map((folder) => folder ?? '');
  const child = programs.start(nodePath, [workerPath, ...folders], {
    needs: needsOf[options.work ?? 'models'],
    isCounted: true,
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  });
  if (options.isPolite === true) giveWay(child.pid);
  return child;
}

/** The threads that it starts later inherit this. */
function giveWay(pid: number | undefined): void {
  try {
    if (pid !== undefined) setPriority(pid, constants.priority.PRIORITY_LOW);
  } catch (error) {
    // It has ended already, or this system does not allow it.
    noteFailure('A process was not given a low priority', error);
  }
}

function watchEnd(child: ChildProcess, lose: (reason: string, signal: NodeJS.Signals | null) => void): void {
  child.on('error', (error) => lose(`could not be started (${messageOf(error)})`, null));
  child.on('exit', (code, signal) => {
    const reason = signal === null ? `ended with code ${code ?? 'unknown'}` : `was ended by ${signal}`;
    // Its last output may still be in the pipe, so `close` comes later than `exit`. But a child of it could keep the
    // pipe open forever, so there is a time limit. If this machine stood still meanwhile, `setImmediate` lets the
    // pipe be read first.
    child.once('close', () => lose(reason, signal));
    setTimeout(() => setImmediate(() => lose(reason, signal)), 200).unref();
  });
}

function listenToOutput(child: ChildProcess): () => string {
  let output = '';
  const hear = (chunk: unknown): void => {
    output = (output + String(chunk)).slice(-keptOutputCharacters);
  };
  child.stdout?.on('data', hear);
  child.stderr?.on('data', hear);
  return () => output;
}

interface Heart {
  /** `onWake` is called if this process itself did not run for a while. */
  start(ping: () => void, onStop: () => void, onWake: () => void): void;
  beat(): void;
  stop(): void;
}

/** Native work runs on other threads, so a healthy process can answer a ping at any time. */
function createHeart(hangMs: number, isNeeded: () => boolean): Heart {
  const intervalMs = Math.max(20, Math.min(2000, hangMs / 5));
  let lastBeat = performance.now();
  let lastTick = performance.now();
  let timer: ReturnType<typeof setInterval> | null = null;
  return {
    start(ping, onStop, onWake) {
      timer = setInterval(() => {
        const now = performance.now();
        // A late tick means that this machine slept or was overloaded, so the other process gets its time again.
        const isLate = now - lastTick > intervalMs * 3;
        if (isLate) onWake();
        if (isLate || !isNeeded()) lastBeat = now;
        lastTick = now;
        if (now - lastBeat > hangMs) onStop();
        else if (isNeeded()) ping();
      }, intervalMs);
      timer.unref();
    },
    beat() {
      lastBeat = performance.now();
    },
    stop() {
      if (timer !== null) clearInterval(timer);
    },
  };
}

interface MemoryGuard {
  /** Notes a question to the process, or a message from it that is more than a sign of life. */
  noteWork(): void;
  /** Without memory, one of its threads may wait forever while the thread that answers pings works. */
  isStuck(): boolean;
  verdict(signal: NodeJS.Signals | null, isSilent: boolean): string | null;
  stop(): void;
}

/** Watches the memory of a process while it starts, and longer if it has limits. */
function guardMemory(pid: number | undefined, stuckMs: number): MemoryGuard {
  const watch = watchMemory(pid);
  const startedAt = performance.now();
  let lastWorkAt = startedAt;
  let lastLookAt = 0;
  let isWatched = true;
  const look = (): void => {
    lastLookAt = performance.now();
    watch.look();
  };
  const timer = setInterval(() => {
    look();
    isWatched = watch.isLimited || performance.now() - startedAt <= startsForMs;
    if (!isWatched) clearInterval(timer);
  }, lookMs);
  timer.unref();
  look();
  return {
    noteWork() {
      lastWorkAt = performance.now();
      // While this process is busy, the timer may come too late to see the last state.
      if (isWatched && lastWorkAt - lastLookAt >= lookMs) look();
    },
    isStuck: () => watch.isNearLimit && performance.now() - lastWorkAt > stuckMs,
    verdict: (signal, isSilent) => watch.verdict(signal, isSilent),
    stop: () => clearInterval(timer),
  };
}

/** `verdict` is what the watch of its memory found. A program without memory often cannot print anything. */
function lossError(reason: string, output: string, verdict: string | null): EngineError {
  const gone = { isProcessGone: true } as const;
  // Addresses of a stack trace say nothing, and push the useful lines out.
  const lines = output
    .trim()
    .split('\n')
    .filter((line) => !/\[0x[0-9a-f]+\]\s*$/u.test(line));
  const aboutMemory = outOfMemoryLines(lines);
  const words = (aboutMemory.length > 0 ? aboutMemory : lines).slice(-3).join(' ').slice(-400);
  const said = words === '' ? '' : ` Its last output: ${words}`;
  if (aboutMemory.length > 0) {
    return {
      ...gone,
      code: 'out-of-memory',
      message: `The engine ran out of memory and its process ${reason}.${said}`,
    };
  }
  if (verdict !== null) {
    return { ...gone, code: 'out-of-memory', message: `The engine's process ${reason}. ${verdict}${said}` };
  }
  return { ...gone, code: 'engine-lost', message: `The engine's process ${reason}.${lossHint(reason, output)}${said}` };
}

function lossHint(reason: string, output: string): string {
  if (reason.includes('SIGKILL')) return ' The system also does that when memory runs out.';
  if (!/unsupported toolchain/u.test(output)) return '';
  return ' The driver of the card is too old for the engine’s library: update it, or remove the library (`dewpoint doctor` names it).';
}
