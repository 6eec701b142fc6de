import type { Duplex } from 'node:stream';
import type Dockerode from 'dockerode';
import { messageOf } from '@shared/errors.ts';
import { neverAborts, sleep } from '../../../lib/async/abort.ts';
import type { OutputChunk } from '../../sandbox.ts';
import { ContainerGoneError } from './container-process.ts';
import { statusOf, withDeadline } from '../engine/engine-deadline.ts';
import { createFrameParser } from '../runner/docker-stream-frames.ts';

export interface ContainerExec {
  readonly argv: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** All of the input; a process that only writes gets none. */
  readonly stdin?: Uint8Array;
  /** Keep the input open for `write` instead of ending it after `stdin`. */
  readonly keepInputOpen?: boolean;
  readonly onChunk: (chunk: OutputChunk) => void;
}

/** How a process ended. `lost`: the container or the engine went, so nobody knows; a clean end of a stream says nothing. */
export type ExecEnd =
  | { readonly type: 'exited'; readonly exitCode: number }
  | { readonly type: 'lost'; readonly reason: string };

export interface RunningExec {
  readonly stream: Duplex;
  /** Never rejects. Comes only when the output has ended as well. */
  readonly ended: Promise<ExecEnd>;
}

const engineMs = 10_000;

/**
 * Starts a process in the container. Rejects with `ContainerGoneError` when the container is gone and nothing was
 * started, with `AppError` `timeout` when the engine does not answer. Takes no signal: once begun, only a kill inside
 * the container ends a process; a request that is merely given up would leave it running unseen.
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
  // A command that ends without reading its input closes the pipe; that is its right.
  stream.on('error', () => undefined);
  try {
    for await (const bytes of stream) parser.push(bytes);
  } catch {
    // The stream was cut; what became of the process is asked below.
  }
  return exitOf(exec);
}

// The code is recorded a moment after the output has ended.
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
