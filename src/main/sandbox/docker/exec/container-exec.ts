import type { Duplex } from 'node:stream';
import type Dockerode from 'dockerode';
import { messageOf } from '@shared/errors.ts';
import { neverAborts, sleep } from '../../../lib/async/abort.ts';
import type { OutputChunk } from '../../sandbox.ts';
import { ContainerGoneError } from './container-process.ts';
import { statusOf, withDeadline } from '../engine/engine-deadline.ts';
import { createFrameParser } from '../runner/docker-stream-frames.ts';
import { noteFailure } from '../../../lib/log.ts';

export interface ContainerExec {
  readonly argv: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** All of the input. Absent: the process gets none. */
  readonly stdin?: Uint8Array;
  /** Keeps the input open for `write` after `stdin`. */
  readonly keepInputOpen?: boolean;
  readonly onChunk: (chunk: OutputChunk) => void;
}

/**
 * How a process ended. `lost`: the container or the engine is gone, so the end is unknown. A cleanly ended stream
 * does not tell.
 */
export type ExecEnd =
  | { readonly type: 'exited'; readonly exitCode: number }
  | { readonly type: 'lost'; readonly reason: string };

export interface RunningExec {
  readonly stream: Duplex;
  /** Resolves when the output has ended, too. Never rejects. */
  readonly ended: Promise<ExecEnd>;
}

const engineMs = 10_000;

/**
 * Starts a process in the container. Rejects with `ContainerGoneError` if the container is gone and nothing was
 * started, and with an `AppError` `timeout` if the engine does not answer. It takes no signal: only a kill inside
 * the container ends a process that has begun. An abandoned request would leave it running unnoticed.
 */
export async function startExec(container: Dockerode.Container, request: ContainerExec): Promise<RunningExec> {
  const hasInput = request.stdin !== undefined || request.keepInputOpen === true;
  try {
    const exec = await withDeadline(engineMs, null, (abortSignal) =>
      container.exec({
        Cmd: [...request.argv],
        Env: Object.entries(request.env ?? {}).map(([name, value]) => `${name}=${value}`),
        AttachStdin: hasInput,
        AttachStdout: true,
        AttachStderr: true,
        Tty: false,
        abortSignal,
      }),
    );
    const stream = await startStream(exec);
    if (request.stdin !== undefined) stream.write(request.stdin);
    if (hasInput && request.keepInputOpen !== true) stream.end();
    return { stream, ended: follow(exec, stream, request.onChunk) };
  } catch (error) {
    const status = statusOf(error);
    // 404: removed. 409: not running, or paused. 500 with this text: it ended between the two calls.
    if (
      status === 404 ||
      status === 409 ||
      (status === 500 && /not running|no such container/i.test(messageOf(error)))
    ) {
      throw new ContainerGoneError(messageOf(error));
    }
    throw error;
  }
}

async function startStream(exec: Dockerode.Exec): Promise<Duplex> {
  const starting = exec.start({ hijack: true, stdin: true });
  try {
    return await withDeadline(engineMs, null, () => starting);
  } catch (error) {
    starting.then(
      (stream) => stream.destroy(),
      () => undefined,
    );
    throw error;
  }
}

async function follow(exec: Dockerode.Exec, stream: Duplex, onChunk: (chunk: OutputChunk) => void): Promise<ExecEnd> {
  const parser = createFrameParser(onChunk);
  // A command that ends without reading its input closes the pipe, which is not an error.
  stream.on('error', () => undefined);
  try {
    for await (const bytes of stream) parser.push(bytes);
  } catch (error) {
    // The stream was cut. The exit code is asked for below.
    noteFailure('sandbox: the output of a command was cut', error);
  }
  return exitOf(exec);
}

// The engine records the exit code a moment after the output has ended.
async function exitOf(exec: Dockerode.Exec): Promise<ExecEnd> {
  for (let waited = 0; waited <= 2000; waited += 50) {
    try {
      const found = await withDeadline(5000, null, (abortSignal) => exec.inspect({ abortSignal }));
      if (!found.Running && typeof found.ExitCode === 'number') return { type: 'exited', exitCode: found.ExitCode };
    } catch (error) {
      return { type: 'lost', reason: messageOf(error) };
    }
    await sleep(50, neverAborts);
  }
  return { type: 'lost', reason: 'its output ended, but its end is not known' };
}
