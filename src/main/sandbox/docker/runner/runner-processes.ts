import type { Duplex } from 'node:stream';
import { Socket } from 'node:net';
import { messageOf } from '@shared/errors.ts';
import { sleep } from '../../../lib/async/abort.ts';
import type { OutputChunk } from '../../sandbox.ts';
import {
  ContainerGoneError,
  type ContainerProcess,
  type ContainerProcesses,
  type ProcessEnd,
  type ProcessRequest,
} from '../exec/container-process.ts';
import { createFrameParser } from './docker-stream-frames.ts';
import {
  createReplyParser,
  inputEndFrame,
  inputFrame,
  inputWindow,
  killFrame,
  runnerVersion,
  signalFrame,
  spawnFrame,
  type RunnerEnd,
  type RunnerReply,
  type SpawnRequest,
} from './runner-frames.ts';
import { memoryNotice } from '../exec/container-scripts.ts';

/** The runner's path in our own image, and the label that says that it is there. */
export const runnerInContainer = '/usr/local/lib/dewpoint/runner';
export const runnerLabel = 'dewpoint.runner';

/** Where the runner is in a container. */
export interface RunnerPlace {
  readonly path: string;
  /** The file of the host that is mounted there. Null: the image contains the runner. */
  readonly file: string | null;
}

const terminate = 15;

interface Run {
  readonly onChunk: (chunk: OutputChunk) => void;
  readonly end: (end: ProcessEnd) => void;
  readonly queue: { bytes: Uint8Array; readonly done: () => void }[];
  credit: number;
  isInputOver: boolean;
  isEndTold: boolean;
  stdoutBytes: number;
  stderrBytes: number;
}

/**
 * Starts processes through the runner, which is process 1 of the container. One connection carries them all. Its
 * data is untrusted: an invalid frame ends the connection, and with it the container.
 */
export class RunnerProcesses implements ContainerProcesses {
  readonly #stream: Duplex;
  readonly #runs = new Map<number, Run>();
  #lastRun = 0;
  #closedBecause: string | null = null;
  #hasGreeted = false;
  /** The last messages of the runner or the system, for error texts. */
  #words = '';
  #onGreeting: () => void = () => undefined;
  #onClosed: (reason: string) => void = () => undefined;
  /** Resolves when the runner has greeted. Rejects if it never will. */
  readonly ready: Promise<void>;

  /** `stream` is the container's input and output, attached by the engine before the container starts. */
  constructor(stream: Duplex) {
    this.#stream = stream;
    this.ready = new Promise((resolve, reject) => {
      this.#onGreeting = resolve;
      this.#onClosed = (reason) => reject(new ContainerGoneError(reason));
    });
    // A caller that waits for `ready` gets the error. Without one, it must not end the program.
    this.ready.catch(() => undefined);
    const replies = createReplyParser((reply) => this.#take(reply));
    const frames = createFrameParser(({ stream: name, bytes }) => {
      if (name === 'stdout') replies.push(bytes);
      else this.#words = `${this.#words}${Buffer.from(bytes).toString()}`.slice(-500);
    });
    stream.on('data', (bytes: Uint8Array) => {
      try {
        if (this.#closedBecause === null) frames.push(bytes);
      } catch (error) {
        this.#close(`what came from the container made no sense: ${messageOf(error)}`);
      }
    });
    stream.on('error', (error) => this.#close(messageOf(error)));
    stream.on('end', () => this.#close('the container ended'));
    stream.on('close', () => this.#close('the container ended'));
  }

  async start(request: ProcessRequest): Promise<ContainerProcess> {
    if (this.#closedBecause !== null) throw new ContainerGoneError(this.#closedBecause);
    this.#lastRun += 1;
    const id = this.#lastRun;
    const hasInput = request.stdin !== undefined || request.keepInputOpen === true;
    const ended = new Promise<ProcessEnd>((end) => {
      this.#runs.set(id, {
        onChunk: request.onChunk,
        end,
        queue: [],
        credit: inputWindow,
        isInputOver: false,
        isEndTold: false,
        stdoutBytes: 0,
        stderrBytes: 0,
      });
    });
    this.#keepAlive();
    this.#stream.write(spawnFrame(id, { ...spawnOf(request), env: environmentOf(request.env), hasInput }));
    if (request.stdin !== undefined) void this.#write(id, request.stdin);
    if (hasInput && request.keepInputOpen !== true) this.#endInput(id);
    return {
      write: (bytes) => this.#write(id, bytes),
      ended,
      stop: (graceMs) => this.#stop(id, ended, graceMs),
      abandon: () => this.#finish(id, { type: 'lost', reason: 'it was given up' }),
    };
  }

  async #stop(id: number, ended: Promise<ProcessEnd>, graceMs: number): Promise<void> {
    if (graceMs > 0) {
      this.#send(id, signalFrame(id, terminate));
      const waiting = new AbortController();
      await Promise.race([ended, sleep(graceMs, waiting.signal)]);
      waiting.abort();
    }
    this.#send(id, killFrame(id));
  }

  #write(id: number, bytes: Uint8Array): Promise<void> {
    const run = this.#runs.get(id);
    if (run === undefined) return Promise.resolve();
    return new Promise((done) => {
      run.queue.push({ bytes, done });
      this.#passInput(id, run);
    });
  }

  #endInput(id: number): void {
    const run = this.#runs.get(id);
    if (run === undefined) return;
    run.isInputOver = true;
    this.#passInput(id, run);
  }

  #passInput(id: number, run: Run): void {
    for (let [next] = run.queue; next !== undefined && run.credit > 0; [next] = run.queue) {
      const piece = next.bytes.subarray(0, run.credit);
      run.credit -= piece.length;
      next.bytes = next.bytes.subarray(piece.length);
      if (piece.length > 0) this.#send(id, inputFrame(id, piece));
      if (next.bytes.length > 0) return;
      run.queue.shift();
      next.done();
    }
    if (!run.isInputOver || run.isEndTold || run.queue.length > 0) return;
    run.isEndTold = true;
    this.#send(id, inputEndFrame(id));
  }

  #send(id: number, frame: Buffer): void {
    if (this.#runs.has(id) && this.#closedBecause === null) this.#stream.write(frame);
  }

  #take(reply: RunnerReply): void {
    if (reply.type === 'hello') {
      if (this.#hasGreeted || reply.version !== runnerVersion) throw new Error('it is another runner');
      this.#hasGreeted = true;
      this.#onGreeting();
      return;
    }
    const run = this.#runs.get(reply.run);
    // A late frame for a run that was given up.
    if (run === undefined) return;
    switch (reply.type) {
      case 'stdout':
        run.stdoutBytes += reply.bytes.length;
        run.onChunk({ stream: 'stdout', bytes: reply.bytes });
        return;
      case 'stderr':
        run.stderrBytes += reply.bytes.length;
        run.onChunk({ stream: 'stderr', bytes: reply.bytes });
        return;
      case 'taken':
        run.credit = Math.min(inputWindow, run.credit + reply.bytes);
        this.#passInput(reply.run, run);
        return;
      case 'ended':
        if (reply.end.hasRunOutOfMemory) run.onChunk({ stream: 'stderr', bytes: Buffer.from(`\n${memoryNotice}\n`) });
        this.#finish(reply.run, endOf(reply.end, run));
        return;
      default:
        reply satisfies never;
    }
  }

  #finish(id: number, end: ProcessEnd): void {
    const run = this.#runs.get(id);
    if (run === undefined) return;
    this.#runs.delete(id);
    for (const { done } of run.queue) done();
    run.end(end);
    this.#keepAlive();
  }

  #close(reason: string): void {
    if (this.#closedBecause !== null) return;
    const words = this.#words.trim();
    this.#closedBecause = words === '' ? reason : `${reason}: ${words}`;
    this.#stream.destroy();
    this.#onClosed(this.#closedBecause);
    for (const id of this.#runs.keys()) this.#finish(id, { type: 'lost', reason: this.#closedBecause });
  }

  // The connection keeps this process alive only while something runs, so that a process that forgot to dispose can
  // end.
  #keepAlive(): void {
    if (!(this.#stream instanceof Socket)) return;
    if (this.#runs.size > 0) this.#stream.ref();
    else this.#stream.unref();
  }
}

function spawnOf({ program }: ProcessRequest): Pick<SpawnRequest, 'isFileOperation' | 'folder' | 'argv'> {
  switch (program.type) {
    case 'command':
      return { isFileOperation: false, folder: program.folder, argv: [program.shell, '-c', program.command] };
    case 'script':
      return { isFileOperation: false, folder: '.', argv: ['/bin/sh', '-c', program.text, 'files', ...program.values] };
    case 'files':
      return { isFileOperation: true, folder: '.', argv: program.operation };
    default:
      return program satisfies never;
  }
}

function environmentOf(env: Readonly<Record<string, string>> = {}): readonly string[] {
  return Object.entries(env).map(([name, value]) => `${name}=${value}`);
}

function endOf(end: RunnerEnd, run: Pick<Run, 'stdoutBytes' | 'stderrBytes'>): ProcessEnd {
  if (end.failed === 'folder') return { type: 'no-folder' };
  if (end.failed !== 'nothing') return { type: 'not-started', reason: `${end.failed}, error ${end.systemError}` };
  // The runner counts the output, too, so that an incomplete output does not count as complete.
  if (end.stdoutBytes !== run.stdoutBytes || end.stderrBytes !== run.stderrBytes)
    return { type: 'lost', reason: 'its output is incomplete' };
  return { type: 'exited', exitCode: end.exitCode, isDoubtful: false };
}
