import { Socket } from 'node:net';
import { Duplex } from 'node:stream';
import type Dockerode from 'dockerode';
import type { ContainerProcesses } from './container-process.ts';
import { withDeadline } from '../engine/engine-deadline.ts';
import { ExecProcesses } from './exec-processes.ts';
import { RunnerProcesses } from '../runner/runner-processes.ts';

export interface AttachedContainer {
  readonly processes: ContainerProcesses;
  /** Resolves when processes can be started; rejects when that will never be. */
  readonly ready: Promise<void>;
  /** Lets go of the container's input, with which its first process ends. */
  readonly detach: () => void;
}

const engineMs = 30_000;

/** Takes hold of a container before it is started. `onEnd` is called when the connection has ended, perhaps repeatedly. */
export async function attachProcesses(
  container: Dockerode.Container,
  hasRunner: boolean,
  onEnd: () => void,
): Promise<AttachedContainer> {
  const attached = await withDeadline(engineMs, null, () =>
    container.attach({ stream: true, stdin: true, stdout: hasRunner, stderr: hasRunner, hijack: true }),
  );
  attached.on('error', onEnd).on('end', onEnd).on('close', onEnd);
  // The connection must not keep a host alive that forgot to dispose: the container ends with it.
  if (attached instanceof Socket) attached.unref();
  const detach = (): void => void (attached instanceof Duplex && attached.destroy());
  if (hasRunner && attached instanceof Duplex) {
    const runner = new RunnerProcesses(attached);
    return { processes: runner, ready: runner.ready, detach };
  }
  attached.resume();
  return { processes: new ExecProcesses(container), ready: Promise.resolve(), detach };
}
