import { randomBytes } from 'node:crypto';
import { AppError, failure, messageOf, success, type Reply } from '@shared/errors.ts';
import { abortable } from '../../lib/abort.ts';
import { delay } from '../../lib/delay.ts';
import type { OutputChunk } from '../sandbox.ts';
import { ContainerGoneError, startExec, type ExecEnd, type RunningExec } from './container-exec.ts';
import { systemCodeOf, withDeadline } from './deadline.ts';
import { runMark, scriptCommand } from './scripts.ts';
import type { Abilities } from './abilities.ts';
import { engineSilent, engineStopped, type LiveContainer, type SessionContainer } from './session-container.ts';

export interface ContainerRun {
  /** The argument list, made for this run's mark and what the image can do. */
  readonly argv: (mark: string, abilities: Abilities) => readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  readonly stdin?: Uint8Array;
  readonly onChunk: (chunk: OutputChunk) => void;
  readonly timeoutMs: number;
  /** More output than this ends the run. */
  readonly maxOutputBytes: number;
}

export interface RunEnd {
  readonly outcome: 'exited' | 'timed-out' | 'cancelled' | 'flooded' | 'lost';
  readonly exitCode: number | null;
}

/** Between asking a command to end and killing it, in tenths of a second; a person who cancels waits less. */
const graceTenths = { 'timed-out': 10, cancelled: 2, flooded: 0 } as const;
const killMs = 3_000;
const settleMs = 1_500;
const killedExit = 137;
/** What an engine gives as a command's own output and code when it could not start it. */
const notStartedExit = 126;
const engineWords = 'OCI runtime exec failed';

/** Runs processes in the container of a session and makes sure that none outlives its run. */
export class ContainerRuns {
  readonly #session: SessionContainer;
  readonly #alive = new Set<string>();

  constructor(session: SessionContainer) {
    this.#session = session;
  }

  /** Runs one process to its end. What was not started because the container was gone is tried once in a new one. */
  async run(request: ContainerRun, signal: AbortSignal): Promise<Reply<RunEnd>> {
    const mark = newMark();
    const flood = new AbortController();
    let bytes = 0;
    let begin = '';
    const onChunk = (chunk: OutputChunk): void => {
      if (bytes === 0) begin = Buffer.from(chunk.bytes.subarray(0, engineWords.length)).toString();
      bytes += chunk.bytes.length;
      if (bytes > request.maxOutputBytes) flood.abort();
      else request.onChunk(chunk);
    };
    const started = await this.start({ ...request, onChunk, keepInputOpen: false }, mark, signal);
    if (!started.ok)
      return started.error.code === 'cancelled' ? success({ outcome: 'cancelled', exitCode: null }) : started;
    const { live, running } = started.value;
    const watching = new AbortController();
    void this.#session.watchEngine(live, watching.signal);
    const why = await this.#firstOf(running.ended, { timeoutMs: request.timeoutMs, flood: flood.signal, signal });
    if (why !== 'ended') await this.stop(live, mark, { running, graceTenths: graceTenths[why] });
    const end = await running.ended;
    watching.abort();
    this.#alive.delete(mark);
    if (why !== 'ended') return success({ outcome: why, exitCode: null });
    const isEngineSpeaking = end.type === 'exited' && end.exitCode === notStartedExit && begin === engineWords;
    const judged = await this.#judge(live, end, isEngineSpeaking);
    if (judged.outcome !== 'exited' || !isEngineSpeaking) return success(judged);
    return failure(
      'internal',
      'The engine could not start a process in the sandbox.',
      'Too many processes may be running in it; try again.',
    );
  }

  /** Starts a process that the caller follows; `stop` ends it. */
  async start(
    request: Pick<ContainerRun, 'argv' | 'env' | 'stdin' | 'onChunk'> & { readonly keepInputOpen: boolean },
    mark: string,
    signal: AbortSignal,
  ): Promise<Reply<{ live: LiveContainer; running: RunningExec }>> {
    for (let tries = 1; ; tries += 1) {
      const acquired = await this.#session.acquire(signal);
      if (!acquired.ok) return acquired;
      const live = acquired.value;
      this.#alive.add(mark);
      try {
        const { argv, env, ...rest } = request;
        const command = { ...rest, argv: argv(mark, live.abilities), env: { ...env, [runMark]: mark } };
        const running = await abortable(startExec(live.container, command), live.gone.signal);
        this.#follow(live, mark, running);
        return success({ live, running });
      } catch (error) {
        this.#alive.delete(mark);
        this.#session.markGone(live, goneReason(error));
        if (!(error instanceof ContainerGoneError) || tries === 2) return startFailure(error);
      }
    }
  }

  // A container killed at the wrong moment leaves a stream that never ends: it gets the time it would need, and no more.
  #follow(live: LiveContainer, mark: string, running: RunningExec): void {
    const onGone = (): void => {
      void endsWithin(running.ended, settleMs).then((isEnded) => {
        if (!isEnded) running.stream.destroy();
      });
    };
    live.gone.signal.addEventListener('abort', onGone, { once: true });
    if (live.gone.signal.aborted) onGone();
    void running.ended.then(() => {
      this.#alive.delete(mark);
      live.gone.signal.removeEventListener('abort', onGone);
    });
  }

  /** The ladder: ask, kill from within, and where that does not help within its time, the whole container. Never rejects. */
  async stop(
    live: LiveContainer,
    mark: string,
    { running, graceTenths: tenths }: { running: RunningExec; graceTenths: number },
  ): Promise<void> {
    const isAlone = this.#alive.size === 1 && this.#alive.has(mark);
    try {
      await withDeadline(killMs + tenths * 100, null, async () => {
        const killer = await startExec(live.container, {
          argv: scriptCommand('kill', mark, String(tenths), isAlone ? 'alone' : 'among'),
          onChunk: () => undefined,
        });
        await killer.ended;
      });
    } catch {
      // No room for one more process, or no answer: the next rung does not depend on either.
    }
    if (await endsWithin(running.ended, settleMs)) return;
    await this.#session.kill(live, 'a command could not be ended in any other way');
    if (await endsWithin(running.ended, settleMs)) return;
    running.stream.destroy();
  }

  async #firstOf(
    ended: Promise<ExecEnd>,
    limits: { readonly timeoutMs: number; readonly flood: AbortSignal; readonly signal: AbortSignal },
  ): Promise<'ended' | 'timed-out' | 'cancelled' | 'flooded'> {
    return new Promise((resolve) => {
      const finish = (why: 'ended' | 'timed-out' | 'cancelled' | 'flooded'): void => {
        clearTimeout(timer);
        limits.signal.removeEventListener('abort', onAbort);
        resolve(why);
      };
      const onAbort = (): void => finish('cancelled');
      const timer = setTimeout(() => finish('timed-out'), limits.timeoutMs);
      limits.signal.addEventListener('abort', onAbort, { once: true });
      limits.flood.addEventListener('abort', () => finish('flooded'), { once: true });
      if (limits.signal.aborted) onAbort();
      void ended.then(() => finish('ended'));
    });
  }

  // Killed (137), by somebody within, for its memory, or because the whole container was; or not started for lack of a
  // container that lives. The engine records the end of a container a moment later than the end of what ran in it.
  async #judge(live: LiveContainer, end: ExecEnd, isEngineSpeaking: boolean): Promise<RunEnd> {
    if (end.type === 'lost') {
      this.#session.markGone(live, end.reason);
      return { outcome: 'lost', exitCode: null };
    }
    const exited: RunEnd = { outcome: 'exited', exitCode: end.exitCode };
    if (end.exitCode === 0) return exited;
    await this.#look(live);
    if (!mayBeTheEngines(end.exitCode) && !isEngineSpeaking) return judgedBy(live, exited);
    for (let waited = 0; waited <= settleMs; waited += 100) {
      if (live.goneBecause !== null) return { outcome: 'lost', exitCode: null };
      await this.#look(live);
      await delay(100, new AbortController().signal);
    }
    return judgedBy(live, exited);
  }

  async #look(live: LiveContainer): Promise<void> {
    try {
      const { State } = await withDeadline(5_000, null, (abortSignal) => live.container.inspect({ abortSignal }));
      if (State.Running) return;
      const isMemory = State.OOMKilled || (await this.#session.ranOutOfMemory(live));
      this.#session.markGone(live, isMemory ? 'the container ran out of memory' : 'the container was stopped');
    } catch (error) {
      this.#session.markGone(live, goneReason(error));
    }
  }
}

/** 137 is a kill; 128, 255 and below zero are what the engine says of a process that it lost while it started. */
function mayBeTheEngines(exitCode: number): boolean {
  return exitCode === killedExit || exitCode === 128 || exitCode === 255 || exitCode < 0;
}

function judgedBy(live: LiveContainer, exited: RunEnd): RunEnd {
  return live.goneBecause === null ? exited : { outcome: 'lost', exitCode: null };
}

export function newMark(): string {
  return randomBytes(12).toString('hex');
}

async function endsWithin(ended: Promise<unknown>, milliseconds: number): Promise<boolean> {
  const waiting = new AbortController();
  const isEnded = await Promise.race([ended.then(() => true), delay(milliseconds, waiting.signal).then(() => false)]);
  waiting.abort();
  return isEnded;
}

function goneReason(error: unknown): string {
  if (error instanceof ContainerGoneError) return 'the container is gone';
  const code = systemCodeOf(error);
  if (code === 'ECONNREFUSED' || code === 'ENOENT' || code === 'ECONNRESET') return engineStopped;
  if (error instanceof AppError && error.code === 'timeout') return engineSilent;
  return messageOf(error);
}

function startFailure(error: unknown): Reply<never> {
  return failure(
    'sandbox-lost',
    `It was not done, or nobody knows whether it was: ${goneReason(error)}.`,
    'Check that your container engine runs; the next command tries again.',
  );
}
