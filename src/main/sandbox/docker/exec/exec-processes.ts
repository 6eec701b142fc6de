import { randomBytes } from 'node:crypto';
import type Dockerode from 'dockerode';
import type { OutputChunk } from '../../sandbox.ts';
import { startExec, type ExecEnd, type RunningExec } from './container-exec.ts';
import type {
  ContainerProcess,
  ContainerProcesses,
  ContainerProgram,
  ProcessEnd,
  ProcessRequest,
} from './container-process.ts';
import { noFolderExit, runMark, scriptCommand } from './container-scripts.ts';
import { Socket } from 'node:net';
import { Duplex } from 'node:stream';
import { withDeadline } from '../engine/engine-deadline.ts';
import { RunnerProcesses } from '../runner/runner-processes.ts';

export interface AttachedContainer {
  readonly processes: ContainerProcesses;
  /** Resolves when processes can be started. Rejects when they never can. */
  readonly ready: Promise<void>;
  /** Closes the container's input, which ends its first process. */
  readonly detach: () => void;
}

const engineMs = 30_000;

/**
 * Attaches to a container before it is started. `onEnd` is called when the connection has ended, possibly more than
 * once.
 */
export async function attachProcesses(
  container: Dockerode.Container,
  hasRunner: boolean,
  onEnd: () => void,
): Promise<AttachedContainer> {
  const attached = await withDeadline(engineMs, null, () =>
    container.attach({ stream: true, stdin: true, stdout: hasRunner, stderr: hasRunner, hijack: true }),
  );
  attached.on('error', onEnd).on('end', onEnd).on('close', onEnd);
  // The connection must not keep a process alive that forgot to dispose. The container ends with it.
  if (attached instanceof Socket) attached.unref();
  const detach = (): void => void (attached instanceof Duplex && attached.destroy());
  if (hasRunner && attached instanceof Duplex) {
    const runner = new RunnerProcesses(attached);
    return { processes: runner, ready: runner.ready, detach };
  }
  attached.resume();
  return { processes: new ExecProcesses(container), ready: Promise.resolve(), detach };
}

const killedExit = 137;
/** The exit code and the beginning of the output that an engine returns for a command that it could not start. */
const notStartedExit = 126;
const engineWords = 'OCI runtime exec failed';

/**
 * Starts processes through the engine's `exec`, for images without the runner. Each takes 60 to 110 ms. Shell
 * programs in the container (`container-scripts.ts`) make sure that all is cleaned up.
 */
export class ExecProcesses implements ContainerProcesses {
  readonly #container: Dockerode.Container;
  readonly #alive = new Set<string>();

  constructor(container: Dockerode.Container) {
    this.#container = container;
  }

  async start({ program, env, onChunk, ...input }: ProcessRequest): Promise<ContainerProcess> {
    const mark = newMark();
    const nonce = newMark();
    const heads = { stdout: '', stderr: '' };
    const watch = (chunk: OutputChunk): void => {
      const head = heads[chunk.stream];
      if (head.length < nonce.length + 1)
        heads[chunk.stream] = head + Buffer.from(chunk.bytes.subarray(0, 64)).toString('latin1');
      onChunk(chunk);
    };
    this.#alive.add(mark);
    try {
      const running = await startExec(this.#container, {
        ...input,
        argv: argvOf(program, mark, nonce),
        env: { ...env, [runMark]: mark },
        onChunk: watch,
      });
      void running.ended.then(() => this.#alive.delete(mark));
      return {
        write: (bytes) => writeInput(running.stream, bytes),
        ended: running.ended.then((end) => endOf(end, { ...heads, nonce })),
        stop: (graceMs) => this.#stop(mark, graceMs),
        abandon: () => running.stream.destroy(),
      };
    } catch (error) {
      this.#alive.delete(mark);
      throw error;
    }
  }

  async #stop(mark: string, graceMs: number): Promise<void> {
    const isAlone = this.#alive.size === 1 && this.#alive.has(mark);
    const tenths = String(Math.ceil(graceMs / 100));
    const killer: RunningExec = await startExec(this.#container, {
      argv: scriptCommand('kill', mark, tenths, isAlone ? 'alone' : 'among'),
      onChunk: () => undefined,
    });
    await killer.ended;
  }
}

function argvOf(program: ContainerProgram, mark: string, nonce: string): readonly string[] {
  if (program.type === 'command') return scriptCommand('run', mark, program.folder, nonce, program.command);
  return ['/bin/sh', '-c', program.text, 'files', ...program.values];
}

function endOf(end: ExecEnd, heads: { readonly stdout: string; readonly stderr: string; nonce: string }): ProcessEnd {
  if (end.type === 'lost') return end;
  const { exitCode } = end;
  if (exitCode === noFolderExit && heads.stderr === heads.nonce) return { type: 'no-folder' };
  if (exitCode === notStartedExit && heads.stdout.startsWith(engineWords))
    return { type: 'not-started', reason: 'the engine could not start it' };
  // 137 is a kill. The engine returns 128, 255 and negative codes for a process that it lost during the start.
  const isDoubtful = exitCode === killedExit || exitCode === 128 || exitCode === 255 || exitCode < 0;
  return { type: 'exited', exitCode, isDoubtful };
}

function newMark(): string {
  return randomBytes(12).toString('hex');
}

function writeInput(stream: NodeJS.WritableStream, bytes: Uint8Array): Promise<void> {
  return new Promise((resolve, reject) => {
    stream.write(bytes, (error) => (error ? reject(error) : resolve()));
  });
}
