import { AppError, failure, messageOf, success, type Reply } from '@shared/errors.ts';
import { abortable, sleep } from '../../../lib/async/abort.ts';
import { timerWithPauses, type DeadlinePause } from '../../../lib/async/deadline-pause.ts';
import type { OutputChunk } from '../../sandbox.ts';
import type { ImageCapabilities } from '../container/image-capabilities.ts';
import {
  ContainerGoneError,
  type ContainerProcess,
  type ContainerProgram,
  type ProcessEnd,
  type ProcessRequest,
} from './container-process.ts';
import { withDeadline } from '../engine/engine-deadline.ts';
import { engineSilent, engineStopped, hadEvent } from '../engine/engine-watch.ts';
import type { LiveContainer } from '../container/session-container-options.ts';
import type { SessionContainer } from '../container/session-container.ts';
import { errorCodeOf } from '../../../lib/files/json-file.ts';
import { noteFailure } from '../../../lib/log.ts';

export interface ContainerStart extends Omit<ProcessRequest, 'program'> {
  /** Creates the program for the image's capabilities. */
  readonly program: (capabilities: ImageCapabilities) => ContainerProgram;
}

export interface ContainerRun extends Omit<ContainerStart, 'keepInputOpen'> {
  readonly timeoutMs: number;
  /** Excludes paused time from `timeoutMs`. */
  readonly hold?: DeadlinePause;
  /** Called with the container once the process runs. */
  readonly onStarted?: (live: LiveContainer) => void;
  /** More output than this ends the run. */
  readonly maxOutputBytes: number;
}

export interface RunEnd {
  readonly outcome: 'exited' | 'timed-out' | 'cancelled' | 'flooded' | 'lost' | 'no-folder';
  readonly exitCode: number | null;
}

/** A running process that the caller follows, and its container. */
export interface StartedProcess {
  readonly live: LiveContainer;
  readonly running: ContainerProcess;
}

/** The time between asking a command to end and killing it. It is short after an abort, because a user waits. */
const graceMs = { 'timed-out': 1000, cancelled: 200, flooded: 0 } as const;
const killMs = 3_000;
const settleMs = 1_500;

/** Runs processes in the container of a session and makes sure that none outlives its run. */
export class ContainerRuns {
  readonly #session: SessionContainer;
  #alive = 0;

  constructor(session: SessionContainer) {
    this.#session = session;
  }

  /**
   * Runs one process to its end. If the container was gone and nothing was started, it tries once more in a new one. Fails
   * with `refused` if it may have seen what must stay hidden. Then no output may be used.
   */
  async run(request: ContainerRun, signal: AbortSignal): Promise<Reply<RunEnd>> {
    for (let tries = 1; ; tries += 1) {
      const flood = new AbortController();
      const started = await this.start({ ...request, onChunk: countOutput(request, flood) }, signal);
      if (!started.ok)
        return started.error.code === 'cancelled' ? success({ outcome: 'cancelled', exitCode: null }) : started;
      const { live } = started.value;
      request.onStarted?.(live);
      const { why, end } = await this.#follow(started.value, request, { flood: flood.signal, signal });
      const judged = why === 'ended' ? await this.#judge(live, end) : { outcome: why, exitCode: null };
      const shown = await this.#session.mayHaveShown(live);
      if (shown !== null) return leftOut(shown);
      if (judged !== null) return success(judged);
      // Nothing ran. If no other process is running, the container itself is broken, which a command can cause. So it
      // is replaced.
      const isAlone = this.#alive === 0;
      if (isAlone) await this.#session.kill(live, 'no process can be started in it any more');
      if (!isAlone || tries === 2)
        return failure(
          'internal',
          'A process could not be started in the sandbox.',
          'Too many processes may be running in it; try again.',
        );
    }
  }

  async #follow(
    { live, running }: StartedProcess,
    { timeoutMs, hold }: Pick<ContainerRun, 'timeoutMs' | 'hold'>,
    signals: { readonly flood: AbortSignal; readonly signal: AbortSignal },
  ): Promise<{ readonly why: 'ended' | 'timed-out' | 'cancelled' | 'flooded'; readonly end: ProcessEnd }> {
    const watching = new AbortController();
    void this.#session.watchEngine(live, watching.signal);
    const why = await firstOf(running.ended, { timeoutMs, heldMs: () => hold?.heldMs() ?? 0, ...signals });
    if (why !== 'ended') await this.stop({ live, running }, graceMs[why]);
    const end = await running.ended;
    watching.abort();
    return { why, end };
  }

  /** Starts a process that the caller follows. `stop` ends it. */
  async start({ program, ...request }: ContainerStart, signal: AbortSignal): Promise<Reply<StartedProcess>> {
    for (let tries = 1; ; tries += 1) {
      const acquired = await this.#session.acquire(signal);
      if (!acquired.ok) return acquired;
      const live = acquired.value;
      this.#alive += 1;
      const over = this.#session.fresh.running();
      try {
        const starting = live.processes.start({ ...request, program: program(live.capabilities) });
        const running = await abortable(starting, live.gone.signal);
        this.#watch(live, running);
        void running.ended.then(over);
        return success({ live, running });
      } catch (error) {
        over();
        this.#alive -= 1;
        this.#session.markGone(live, goneReason(error));
        if (!(error instanceof ContainerGoneError) || tries === 2) return startFailure(error);
      }
    }
  }

  // The stream of a killed container may never end, so it gets a limited time.
  #watch(live: LiveContainer, running: ContainerProcess): void {
    const onGone = (): void => {
      void endsWithin(running.ended, settleMs).then((isEnded) => {
        if (!isEnded) running.abandon();
      });
    };
    live.gone.signal.addEventListener('abort', onGone, { once: true });
    if (live.gone.signal.aborted) onGone();
    void running.ended.then(() => {
      this.#alive -= 1;
      live.gone.signal.removeEventListener('abort', onGone);
    });
  }

  /** Asks the process to end, then kills it from inside, and at last kills the whole container. Never rejects. */
  async stop({ live, running }: StartedProcess, grace: number): Promise<void> {
    try {
      await withDeadline(killMs + grace, null, () => running.stop(grace));
    } catch (error) {
      // The container has no room for another process, or does not answer. The next stage needs neither.
      noteFailure('sandbox: a command was not ended from inside', error);
    }
    if (await endsWithin(running.ended, settleMs)) return;
    await this.#session.kill(live, 'a command could not be ended in any other way');
    if (await endsWithin(running.ended, settleMs)) return;
    running.abandon();
  }

  // Null: nothing was started. The engine records the end of a container a moment later than the end of its
  // processes.
  async #judge(live: LiveContainer, end: ProcessEnd): Promise<RunEnd | null> {
    switch (end.type) {
      case 'not-started':
        // The engine reports the same for a container that has just ended.
        await this.#look(live);
        return live.goneBecause === null ? null : { outcome: 'lost', exitCode: null };
      case 'no-folder':
        return { outcome: 'no-folder', exitCode: null };
      case 'lost':
        if (live.goneBecause === null) await this.#look(live);
        this.#session.markGone(live, end.reason);
        return { outcome: 'lost', exitCode: null };
      case 'exited':
        if (end.isDoubtful && !(await this.#staysAlive(live))) return { outcome: 'lost', exitCode: null };
        return { outcome: 'exited', exitCode: end.exitCode };
      default:
        return end satisfies never;
    }
  }

  async #staysAlive(live: LiveContainer): Promise<boolean> {
    for (let waited = 0; waited <= settleMs && live.goneBecause === null; waited += 100) {
      // If the container is gone, the loop ends.
      if (waited > 0) await sleep(100, live.gone.signal).catch(() => undefined);
      await this.#look(live);
    }
    return live.goneBecause === null;
  }

  async #look(live: LiveContainer): Promise<void> {
    try {
      const { State } = await withDeadline(5_000, null, (abortSignal) => live.container.inspect({ abortSignal }));
      if (State.Running) return;
      // The flag in a container's state is not always set.
      const isMemory = State.OOMKilled || (await hadEvent(this.#session.docker, live.container.id, 'oom'));
      this.#session.markGone(live, isMemory ? 'the container ran out of memory' : 'the container was stopped');
    } catch (error) {
      this.#session.markGone(live, goneReason(error));
    }
  }
}

function leftOut(path: string): Reply<never> {
  return failure(
    'refused',
    `What this printed is left out, because ${path} was moved or replaced at the same time, and must stay hidden. What it changed is kept.`,
    'Look at what it changed, and run it again if that is needed.',
  );
}

function countOutput(
  { maxOutputBytes, onChunk }: Pick<ContainerRun, 'maxOutputBytes' | 'onChunk'>,
  flood: AbortController,
): (chunk: OutputChunk) => void {
  let bytes = 0;
  return (chunk) => {
    bytes += chunk.bytes.length;
    if (bytes > maxOutputBytes) flood.abort();
    else onChunk(chunk);
  };
}

function firstOf(
  ended: Promise<ProcessEnd>,
  limits: {
    readonly timeoutMs: number;
    readonly heldMs: () => number;
    readonly flood: AbortSignal;
    readonly signal: AbortSignal;
  },
): Promise<'ended' | 'timed-out' | 'cancelled' | 'flooded'> {
  return new Promise((resolve) => {
    const finish = (why: 'ended' | 'timed-out' | 'cancelled' | 'flooded'): void => {
      stopTimer();
      limits.signal.removeEventListener('abort', onAbort);
      resolve(why);
    };
    const onAbort = (): void => finish('cancelled');
    const stopTimer = timerWithPauses(limits.timeoutMs, limits.heldMs, () => finish('timed-out'));
    limits.signal.addEventListener('abort', onAbort, { once: true });
    limits.flood.addEventListener('abort', () => finish('flooded'), { once: true });
    if (limits.signal.aborted) onAbort();
    void ended.then(() => finish('ended'));
  });
}

async function endsWithin(ended: Promise<unknown>, milliseconds: number): Promise<boolean> {
  const waiting = new AbortController();
  const isEnded = await Promise.race([ended.then(() => true), sleep(milliseconds, waiting.signal).then(() => false)]);
  waiting.abort();
  return isEnded;
}

function goneReason(error: unknown): string {
  if (error instanceof ContainerGoneError) return 'the container is gone';
  const code = errorCodeOf(error);
  if (code === 'ECONNREFUSED' || code === 'ENOENT' || code === 'ECONNRESET') return engineStopped;
  if (error instanceof AppError && error.code === 'timeout') return engineSilent;
  return messageOf(error);
}

function startFailure(error: unknown): Reply<never> {
  return failure(
    'sandbox-lost',
    `It is unknown whether this was done: ${goneReason(error)}.`,
    'Check that your container engine runs; the next command tries again.',
  );
}
