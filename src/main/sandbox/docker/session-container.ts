import { randomBytes } from 'node:crypto';
import { stat } from 'node:fs/promises';
import { Socket } from 'node:net';
import { join } from 'node:path';
import { Duplex } from 'node:stream';
import type Dockerode from 'dockerode';
import { failure, messageOf, success, toFailure, type Reply } from '@shared/errors.ts';
import { abortable } from '../../lib/abort.ts';
import type { Log } from '../../lib/log.ts';
import { ContainerGoneError, startExec } from './container-exec.ts';
import { createBody, labelNames, scratchInContainer, workspaceInContainer, type ContainerPlan } from './create-body.ts';
import { statusOf, withDeadline } from './deadline.ts';
import type { Engine } from './engine.ts';
import { folderArchive } from './folder-archive.ts';
import { ownerMark, supportFiles, type UserIds } from './identity.ts';
import { findPins } from './pins.ts';
import { scriptCommand } from './scripts.ts';
import { verifyContainer } from './verify-container.ts';

/** What can be done with the image that runs. */
export interface Abilities {
  /** `find -printf` and `stat` as GNU has them. */
  readonly gnu: boolean;
  readonly rg: boolean;
  readonly bash: boolean;
  /** A folder outside the workspace, with disk behind it, that the commands' user can write. */
  readonly scratch: string | null;
}

export interface LiveContainer {
  readonly container: Dockerode.Container;
  readonly abilities: Abilities;
  /** Why it is no longer there; null while it is. */
  goneBecause: string | null;
  /** Aborted when it is found to be gone: the engine does not always end the streams of a container that was killed. */
  readonly gone: AbortController;
}

export interface SessionContainerOptions {
  readonly engine: Engine;
  readonly imageId: string;
  readonly sessionId: string;
  readonly homeId: string;
  /** Where the few files are kept that a container is given. */
  readonly supportFolder: string;
  /** A real path on the host. */
  readonly workspacePath: string;
  readonly user: UserIds;
  readonly userns: ContainerPlan['userns'];
  readonly memoryBytes: number;
  readonly cpus: number;
  readonly pids: number;
  readonly log: Log;
  /** Called once for every loss, after the try to make a new one. Must not throw. */
  readonly onLost: (loss: { readonly reason: string; readonly recreated: boolean }) => void;
}

const engineMs = 30_000;
/** An engine that takes longer than this to kill a container is itself not well: whoever waits is told. */
const killMs = 5_000;

/**
 * The container of one session, made again when it was lost. Its scratch volume outlives a lost container; memory
 * disks and running processes do not.
 */
export class SessionContainer {
  readonly #options: SessionContainerOptions;
  readonly #workspaceKey: string;
  readonly #volumeName: string;
  #warnings: readonly string[] = [];
  #live: LiveContainer | null = null;
  #attached: Duplex | null = null;
  #starting: Promise<Reply<LiveContainer>> | null = null;
  #hasVolume = false;
  #disposed = false;

  private constructor(options: SessionContainerOptions, workspaceKey: string) {
    this.#options = options;
    this.#workspaceKey = workspaceKey;
    this.#volumeName = `dewpoint-${options.homeId}-${randomBytes(6).toString('hex')}`;
  }

  /** Starts the first container. On failure or abort nothing is left behind. */
  static async start(options: SessionContainerOptions, signal: AbortSignal): Promise<Reply<SessionContainer>> {
    const session = new SessionContainer(options, await keyOf(options.workspacePath));
    try {
      const started = await abortable(session.#startOnce(), signal);
      if (started.ok) return success(session);
      await session.dispose();
      return started;
    } catch (error) {
      await session.dispose();
      return { ok: false, error: signal.aborted ? failure('cancelled', 'It was cancelled.').error : toFailure(error) };
    }
  }

  get scratchPath(): string | null {
    return this.#live?.abilities.scratch ?? null;
  }

  get warnings(): readonly string[] {
    return this.#warnings;
  }

  /** The container that runs, made again if the last one is gone. Fails with `sandbox-lost` or `conflict`. */
  async acquire(signal: AbortSignal): Promise<Reply<LiveContainer>> {
    if (this.#disposed) return failure('sandbox-lost', 'The sandbox was closed.');
    if (signal.aborted) return failure('cancelled', 'It was cancelled.');
    if ((await keyOf(this.#options.workspacePath)) !== this.#workspaceKey) {
      return failure(
        'conflict',
        `The project folder ${this.#options.workspacePath} was moved, replaced or deleted while the sandbox was using it.`,
        'Put it back where it was, or start a new session on the new place.',
      );
    }
    if (this.#live !== null && this.#live.goneBecause === null) return success(this.#live);
    try {
      return await abortable(this.#startOnce(), signal);
    } catch (error) {
      return { ok: false, error: signal.aborted ? failure('cancelled', 'It was cancelled.').error : toFailure(error) };
    }
  }

  /** Notes that a container is gone; the next `acquire` makes a new one. */
  markGone(live: LiveContainer, reason: string): void {
    live.goneBecause ??= reason;
    live.gone.abort();
  }

  /** Ends a container that cannot be brought to order from within. Never rejects. */
  async kill(live: LiveContainer, reason: string): Promise<void> {
    this.markGone(live, reason);
    await this.#remove(live.container, killMs);
  }

  /** Removes everything; waits for a start under way. Never rejects, safe to call twice. */
  async dispose(): Promise<void> {
    this.#disposed = true;
    await this.#starting?.catch(() => undefined);
    const live = this.#live;
    this.#live = null;
    if (live !== null) {
      this.markGone(live, 'the sandbox was closed');
      await this.#remove(live.container);
    }
    this.#attached?.destroy();
    if (this.#hasVolume) await this.#removeVolume();
  }

  #startOnce(): Promise<Reply<LiveContainer>> {
    this.#starting ??= this.#replace().finally(() => {
      this.#starting = null;
    });
    return this.#starting;
  }

  async #replace(): Promise<Reply<LiveContainer>> {
    const old = this.#live;
    if (old !== null) await this.#remove(old.container);
    const made = await this.#create();
    if (made.ok) this.#live = made.value;
    if (old !== null && !this.#disposed) {
      this.#options.onLost({ reason: old.goneBecause ?? 'the container ended', recreated: made.ok });
      if (!made.ok)
        return failure(
          'sandbox-lost',
          `The sandbox was lost and cannot be made again: ${made.error.message}`,
          made.error.hint,
        );
    }
    return made;
  }

  async #create(): Promise<Reply<LiveContainer>> {
    const { engine, homeId, sessionId } = this.#options;
    const { docker } = engine;
    const name = `dewpoint-${homeId}-${sessionId.replaceAll(/[^a-zA-Z0-9_.-]/g, '').slice(-24)}-${randomBytes(4).toString('hex')}`;
    let container: Dockerode.Container | null = null;
    try {
      const body = createBody(await this.#plan());
      // Not given up on abort: an engine that makes it after all would leave it behind. The caller need not wait.
      container = await withDeadline(engineMs, null, () => docker.createContainer({ ...body, name }));
      const differences = verifyContainer(
        body,
        await withDeadline(engineMs, null, () => docker.getContainer(name).inspect()),
      );
      if (differences.length > 0) {
        await this.#remove(container);
        return failure(
          'missing-sandbox',
          `This engine does not hold the protection that was asked for: ${differences.join('; ')}.`,
        );
      }
      const live = await this.#run(container);
      if (!this.#disposed) return success(live);
      await this.#remove(container);
      return failure('cancelled', 'It was cancelled.');
    } catch (error) {
      if (container === null) await this.#remove(docker.getContainer(name));
      else await this.#remove(container);
      return createFailure(error);
    }
  }

  async #run(container: Dockerode.Container): Promise<LiveContainer> {
    const attached = await withDeadline(engineMs, null, () =>
      container.attach({ stream: true, stdin: true, stdout: false, stderr: false, hijack: true }),
    );
    let live: LiveContainer | null = null;
    const gone = new AbortController();
    const onEnd = (): void => {
      if (live !== null) this.markGone(live, 'the container ended');
      gone.abort(new ContainerGoneError('the container ended at once'));
    };
    attached.on('error', onEnd).on('end', onEnd).on('close', onEnd).resume();
    // The connection must not keep a host alive that forgot to dispose: the container ends with it.
    if (attached instanceof Socket) attached.unref();
    if (attached instanceof Duplex) this.#attached = attached;
    await withDeadline(engineMs, gone.signal, () => container.start());
    const abilities = await withDeadline(engineMs, gone.signal, () => probe(container, this.#options.user));
    live = { container, abilities, goneBecause: null, gone };
    return live;
  }

  async #plan(): Promise<ContainerPlan> {
    const { docker, limits, kind } = this.#options.engine;
    const options = this.#options;
    const labels = {
      [labelNames.app]: 'sandbox',
      [labelNames.home]: options.homeId,
      [labelNames.session]: options.sessionId,
      [labelNames.owner]: await ownerMark(process.pid),
    };
    // A volume that is there already is left as it is.
    this.#hasVolume = true;
    await withDeadline(engineMs, null, () => docker.createVolume({ Name: this.#volumeName, Labels: labels }));
    const { pins, warnings } = await findPins(options.workspacePath);
    this.#warnings = warnings;
    return {
      labels,
      image: options.imageId,
      user: options.user,
      userns: options.userns,
      isPodman: kind === 'podman',
      workspacePath: options.workspacePath,
      pins,
      support: await supportFiles(options.supportFolder, options.user),
      scratchVolume: this.#volumeName,
      memoryBytes: options.memoryBytes,
      cpus: options.cpus,
      pids: options.pids,
      limits,
    };
  }

  async #remove(container: Dockerode.Container, milliseconds = engineMs): Promise<void> {
    try {
      await withDeadline(milliseconds, null, () => container.remove({ force: true, v: true }));
    } catch (error) {
      // 404: gone already; 409: its removal is under way.
      const status = statusOf(error);
      if (status !== 404 && status !== 409)
        this.#options.log.warn(`sandbox: a container could not be removed: ${messageOf(error)}`);
    }
  }

  async #removeVolume(): Promise<void> {
    try {
      await withDeadline(engineMs, null, () => this.#options.engine.docker.getVolume(this.#volumeName).remove());
    } catch (error) {
      if (statusOf(error) !== 404)
        this.#options.log.warn(`sandbox: a volume could not be removed: ${messageOf(error)}`);
    }
  }
}

async function probe(container: Dockerode.Container, user: UserIds): Promise<Abilities> {
  let text = '';
  const running = await startExec(container, {
    argv: scriptCommand('probe', workspaceInContainer, scratchInContainer),
    onChunk: (chunk) => {
      text += Buffer.from(chunk.bytes).toString();
    },
  });
  const end = await running.ended;
  if (end.type === 'lost') throw new ContainerGoneError(`the container ended at once: ${end.reason}`);
  if (end.exitCode !== 0) throw new Error(`the image cannot run a shell: ${text.trim().slice(0, 300)}`);
  const words = text.split('\n');
  return {
    gnu: words.includes('gnu'),
    rg: words.includes('rg'),
    bash: words.includes('bash'),
    scratch: words.includes('scratch') ? scratchInContainer : await makeScratch(container, user),
  };
}

// The volume takes the permissions that its folder has in the image; in a user's own image that may be root's alone.
async function makeScratch(container: Dockerode.Container, user: UserIds): Promise<string | null> {
  try {
    const archive = folderArchive('work', user);
    await withDeadline(engineMs, null, () => container.putArchive(archive, { path: scratchInContainer }));
    return `${scratchInContainer}/work`;
  } catch {
    return null;
  }
}

/** Tells a folder from another one that took its place. */
async function keyOf(path: string): Promise<string> {
  try {
    const found = await stat(join(path, '.'));
    return `${found.dev}:${found.ino}`;
  } catch {
    return 'absent';
  }
}

function createFailure(error: unknown): Reply<never> {
  const message = messageOf(error);
  if (/bind source path does not exist|no such file or directory/i.test(message)) {
    return failure(
      'conflict',
      'The engine does not see the project folder.',
      'Share the folder with your container engine (its settings), or use a project elsewhere.',
    );
  }
  if (statusOf(error) === 404)
    return failure(
      'missing-sandbox',
      `The sandbox image is not there any more: ${message}`,
      'Start again: it is made anew.',
    );
  return failure(
    'missing-sandbox',
    `The sandbox could not be started: ${message}`,
    'dewpoint doctor says more about the engine.',
  );
}
