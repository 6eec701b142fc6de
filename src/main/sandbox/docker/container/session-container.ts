import { randomBytes } from 'node:crypto';
import type Dockerode from 'dockerode';
import { failure, success, toFailure, type Reply } from '@shared/errors.ts';
import { abortable, abortWithManyListeners } from '../../../lib/async/abort.ts';
import { callModeFor, type CallMode } from '../../../lib/files/host-folder.ts';
import type { ExtraMount } from '../../sandbox.ts';
import { probeImageCapabilities, type ImageCapabilities } from './image-capabilities.ts';
import { attachProcesses } from '../exec/exec-processes.ts';
import { ContainerGoneError } from '../exec/container-process.ts';
import { planContainer, type ContainerRequirements } from './container-plan.ts';
import { createBody, heldPaths, labelNames } from './container-create-body.ts';
import { withDeadline } from '../engine/engine-deadline.ts';
import { watchedEngineDisk } from '../engine/engine-disk.ts';
import {
  engineAnswers,
  waitForEngine,
  engineSilence,
  engineSilent,
  engineStopped,
  removeWhenBack,
} from '../engine/engine-watch.ts';
import { ownerMark, type UserIds } from '../user/container-identity.ts';
import { findProtectedMounts, pinWayTo, type ProtectedMount } from '../protection/protected-mounts.ts';
import { firstOpen, whereNothingIs, type ProtectedPlace } from '../protection/protected-watch.ts';
import { FreshSecrets } from '../protection/fresh-secrets.ts';
import type { RepositoryGuard } from '../../workspace/repositories/repository-guard.ts';
import { MountedFolder } from './mounted-folder.ts';
import { removeContainer, removeVolume } from './remove-container.ts';
import type { LiveContainer, SessionContainerOptions } from './session-container-options.ts';
import { engineFailure, startFailure, stillRunsFailure, withReason } from './container-start-failure.ts';
import type { ContainerUser } from '../user/user-candidates.ts';
import { beginUserProbe, type UserVerdict } from '../user/user-probe.ts';
import { verifyContainer } from './verify-container.ts';
import type { KnownMask } from '../../workspace/still-hidden.ts';
import type { Mask } from '../../workspace/workspace-scan.ts';
import { diagnostics } from '../../../lib/log.ts';

const engineMs = 30_000;
/** If the engine takes longer to kill a container, it has a problem itself, and the caller gets an error. */
const killMs = 5_000;

/**
 * The container of one session, made again when it was lost. Its scratch volume outlives a lost container. Memory
 * disks and running processes do not.
 */
export class SessionContainer {
  #options: SessionContainerOptions;
  readonly #folder: MountedFolder;
  readonly #volumeName: string;
  #warnings: readonly string[] = [];
  #pins: readonly ProtectedMount[] = [];
  #masks: readonly KnownMask[] = [];
  /** Paths that were hidden once, and where nothing was when the container started. */
  #away: readonly string[] = [];
  #asking: CallMode = 'waiting';
  /** The user that was found to be right, then the others. */
  #users: readonly ContainerUser[];
  #live: LiveContainer | null = null;
  /** The engine does not answer. It was already waited for, and that was reported. */
  #isEngineAway = false;
  #detach: () => void = () => undefined;
  #starting: Promise<Reply<LiveContainer>> | null = null;
  #hasVolume = false;
  readonly #stopChecking: () => void;
  readonly fresh: FreshSecrets;
  #disposed = false;
  #ending: Promise<boolean> | null = null;
  /** Those that run beside this one, and some that are over. */
  #besides: readonly SessionContainer[] = [];
  readonly #closing = abortWithManyListeners();

  private constructor(options: SessionContainerOptions, folder: MountedFolder) {
    this.#options = options;
    this.#folder = folder;
    this.#users = options.users;
    const look = () => options.look(this.#closing.signal);
    this.fresh = new FreshSecrets(options.workspacePath, look, (text) => this.warn(text));
    this.#stopChecking = options.guard.alsoCheck(() => this.#whole());
    this.#volumeName = options.besides?.scratchVolume ?? `dewpoint-${options.homeId}-${randomBytes(6).toString('hex')}`;
  }

  /** Starts the first container. After a failure or an abort, nothing is left behind. */
  static async start(options: SessionContainerOptions, signal: AbortSignal): Promise<Reply<SessionContainer>> {
    const session = new SessionContainer(options, await MountedFolder.of(options));
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

  /**
   * A separate container for one command. It equals this one, but also mounts `extra` (replacing mounts with the
   * same target), and uses the network of `network`. The caller disposes of it.
   */
  async startBeside(
    { extra = [], network = null }: { readonly extra?: readonly ExtraMount[]; readonly network?: LiveContainer | null },
    signal: AbortSignal,
  ): Promise<Reply<SessionContainer>> {
    const started = await SessionContainer.start(
      {
        ...this.#options,
        users: this.#users,
        extra: [
          ...this.#options.extra.filter(({ target }) => extra.every((other) => other.target !== target)),
          ...extra,
        ],
        besides: { scratchVolume: this.#volumeName, networkOf: network?.container.id ?? null },
        onLost: () => undefined,
      },
      signal,
    );
    if (started.ok) this.#besides = [...this.#besides.filter((one) => one.#live !== null), started.value];
    return started;
  }

  /**
   * Replaces the container now with one that has these mounts and variables, for changed packages. Its processes and
   * memory disks are lost. Its scratch volume stays.
   */
  async renew(
    { extra, environment }: Pick<SessionContainerOptions, 'extra' | 'environment'>,
    signal: AbortSignal,
  ): Promise<Reply<unknown>> {
    // The caller of that start gets the error.
    await this.#starting?.catch(() => undefined);
    this.#options = { ...this.#options, extra, environment };
    const old = this.#live;
    this.#live = null;
    if (old !== null) await this.kill(old, 'it is restarted with other packages');
    return this.acquire(signal);
  }

  get scratchPath(): string | null {
    return this.#live?.capabilities.scratch ?? null;
  }

  get warnings(): readonly string[] {
    return this.#warnings;
  }

  get masks(): readonly Mask[] {
    return this.#masks;
  }

  warn(text: string): void {
    diagnostics.warn(`sandbox: ${text}`);
    if (!this.#warnings.includes(text)) this.#warnings = [...this.#warnings, text];
  }

  /** See `heldPaths`. */
  get held(): readonly string[] {
    return heldPaths(this.#masks, this.#pins, this.#options.extra);
  }

  get pins(): readonly ProtectedMount[] {
    return this.#pins;
  }

  /** The running container. Null: none. Does not start one. */
  get running(): Dockerode.Container | null {
    return this.#live === null || this.#live.goneBecause !== null ? null : this.#live.container;
  }

  /** The protected paths of the project, for checking that they stay unchanged. */
  get guarded(): ProtectedPlace {
    return { workspacePath: this.#options.workspacePath, pins: this.#pins, asking: this.#asking };
  }

  get guard(): RepositoryGuard {
    return this.#options.guard;
  }

  get workspacePath(): string {
    return this.#options.workspacePath;
  }

  get docker(): Dockerode {
    return this.#options.engine.docker;
  }

  get user(): UserIds | null {
    return this.#users[0]?.user ?? null;
  }

  /** The running container, made again if the last one is gone. Fails with `sandbox-lost` or `conflict`. */
  async acquire(signal: AbortSignal): Promise<Reply<LiveContainer>> {
    if (this.#disposed) return failure('sandbox-lost', 'The sandbox was closed.');
    if (signal.aborted) return failure('cancelled', 'It was cancelled.');
    const folder = await this.#folder.check();
    if (!folder.ok) return folder;
    const admitted = await this.#options.guard.admit();
    if (!admitted.ok) return admitted;
    const { besides } = this.#options;
    try {
      const live = await this.#whole();
      // A container cannot hide what the person added after its start. The next one can.
      const fresh = live === null || besides !== null ? null : await this.fresh.find(this.#masks);
      if (live !== null && fresh === null) return success(live);
      if (live !== null) await this.kill(live, `${fresh} must stay hidden, and is new`);
      if (besides !== null) return failure('sandbox-lost', 'The container of this command is gone.');
      return await abortable(this.#startOnce(), signal);
    } catch (error) {
      return { ok: false, error: signal.aborted ? failure('cancelled', 'It was cancelled.').error : toFailure(error) };
    }
  }

  /**
   * The running container, if it hides all that it must. A hidden file that the user moved or replaced can lose its
   * mount. Then the container is ended. Never rejects.
   */
  async #whole(): Promise<LiveContainer | null> {
    const live = this.#live;
    if (live === null || live.goneBecause !== null) return null;
    const open = await firstOpen(this.#masks, this.#away, this.guarded);
    if (open === null) return live;
    live.mayHaveShown = open;
    await this.kill(live, `${open} must stay hidden, and was moved or replaced`);
    return null;
  }

  /** A path that must stay hidden, and that what just ran in this container may have seen. Never rejects. */
  async mayHaveShown(live: LiveContainer): Promise<string | null> {
    if (live === this.#live) await this.#whole();
    return live.mayHaveShown;
  }

  markGone(live: LiveContainer, reason: string): void {
    const isFirst = live.goneBecause === null;
    live.goneBecause ??= reason;
    live.gone.abort();
    // The container may still run if only the engine was out of reach. So it is removed later.
    if (isFirst && !this.#disposed) void removeWhenBack(this.docker, live.container, this.#closing.signal);
  }

  /**
   * Resolves when the engine has not answered for a while, and has then marked the container as gone. Never rejects.
   */
  async watchEngine(live: LiveContainer, signal: AbortSignal): Promise<void> {
    await engineSilence(this.docker, signal);
    if (!signal.aborted) this.markGone(live, engineSilent);
  }

  /** Kills a container whose processes cannot be ended from inside. Never rejects. */
  async kill(live: LiveContainer, reason: string): Promise<void> {
    this.markGone(live, reason);
    await this.#remove(live.container, killMs);
  }

  /**
   * Removes everything, and waits for a running start. Whether the container is gone. Never rejects. Every call waits for
   * the same end.
   */
  dispose(): Promise<boolean> {
    this.#ending ??= this.#end();
    return this.#ending;
  }

  async #end(): Promise<boolean> {
    this.#disposed = true;
    this.#stopChecking();
    this.#closing.abort();
    await this.#starting?.catch(() => undefined);
    const live = this.#live;
    if (live !== null) this.markGone(live, 'the sandbox was closed');
    const isGone = live === null || (await this.#remove(live.container));
    this.#live = null;
    this.#detach();
    if (this.#hasVolume) await removeVolume(this.docker.getVolume(this.#volumeName), engineMs);
    return isGone;
  }

  #startOnce(): Promise<Reply<LiveContainer>> {
    this.#starting ??= this.#replace().finally(() => void (this.#starting = null));
    return this.#starting;
  }

  async #replace(): Promise<Reply<LiveContainer>> {
    const old = this.#live;
    if (old !== null) {
      const isBack = await this.#awaitEngine();
      if (!isBack) return engineFailure;
      if (!(await this.#removeWithOthers(old)) && old.mayHaveShown !== null) return stillRunsFailure(old.mayHaveShown);
    }
    const made = await this.#create();
    if (made.ok) this.#live = made.value;
    if (old !== null && !this.#disposed) {
      const reason = this.#isEngineAway ? engineStopped : (old.goneBecause ?? 'the container ended');
      this.#isEngineAway = false;
      this.#options.onLost({ reason, recreated: made.ok });
      if (!made.ok)
        return failure(
          'sandbox-lost',
          `The sandbox was lost and cannot be restarted: ${made.error.message}`,
          made.error.hint,
        );
    }
    return made;
  }

  /** Also ends the others that show what must stay hidden, before anybody looks for what they copied. Whether all are gone. */
  async #removeWithOthers({ container }: LiveContainer): Promise<boolean> {
    const isGone = await this.#remove(container);
    await this.#options.guard.look();
    const over = this.#besides.filter(({ running }) => running === null);
    const ends = await Promise.all(over.map((one) => one.dispose()));
    return isGone && !ends.includes(false);
  }

  /** Waits for an engine that has stopped, but only once. Whether it answers. */
  async #awaitEngine(): Promise<boolean> {
    const { signal } = this.#closing;
    if (await engineAnswers(this.docker, { waitMs: 0, signal })) return true;
    if (this.#isEngineAway) return false;
    this.#isEngineAway = true;
    const { engineWaitMs: waitMs, onLost } = this.#options;
    return waitForEngine(this.docker, { waitMs, signal, tell: (reason) => onLost({ reason, recreated: false }) });
  }

  /** Tries one user after the other until files belong to the user on both sides. */
  async #create(): Promise<Reply<LiveContainer>> {
    let writable: ContainerUser | null = null;
    const ground = await this.#prepare().catch(startFailure);
    if (!ground.ok) return ground;
    for (const candidate of this.#users) {
      const made = await this.#createAs(candidate, ground.value);
      if (!made.ok) return made;
      const { live, verdict } = made.value;
      if (verdict === null || verdict === 'passed') {
        this.#users = [candidate, ...this.#users.filter((other) => other !== candidate)];
        return success(live);
      }
      if (verdict === 'unwritable') writable ??= candidate;
      await this.#remove(live.container);
    }
    if (writable === null) {
      return failure(
        'missing-sandbox',
        'Files that commands write in this project would belong to another user, not to you.',
        'Run `dewpoint doctor` to see how your engine maps users, or work on a copy: --workspace copy',
      );
    }
    const made = await this.#createAs(writable, ground.value);
    if (!made.ok) return made;
    this.#users = [writable, ...this.#users.filter((other) => other !== writable)];
    this.warn('Commands cannot write in the project folder: its permissions do not allow it.');
    return success(made.value.live);
  }

  async #createAs(
    user: ContainerUser,
    ground: ContainerRequirements,
  ): Promise<Reply<{ live: LiveContainer; verdict: UserVerdict | null }>> {
    const { engine, homeId, sessionId } = this.#options;
    const { docker } = engine;
    const name = `dewpoint-${homeId}-${sessionId.replaceAll(/[^a-zA-Z0-9_.-]/g, '').slice(-24)}-${randomBytes(4).toString('hex')}`;
    let container: Dockerode.Container | null = null;
    try {
      const body = createBody(await planContainer(this.#options, { user, ground, scratchVolume: this.#volumeName }));
      // Not aborted, because an engine that still makes the container would leave it behind. The caller need not
      // wait.
      container = await withDeadline(engineMs, null, () => docker.createContainer({ ...body, name }));
      const differences = verifyContainer(
        body,
        await withDeadline(engineMs, null, () => docker.getContainer(name).inspect()),
      );
      if (differences.length > 0) {
        await this.#remove(container);
        return failure(
          'missing-sandbox',
          `This engine does not apply the protection that Dewpoint needs: ${differences.join('; ')}.`,
        );
      }
      const run = await this.#run(container, user.user);
      if (!this.#disposed) return success(run);
      await this.#remove(container);
      return failure('cancelled', 'It was cancelled.');
    } catch (error) {
      const made = container ?? docker.getContainer(name);
      const reason = await withReason(error, made);
      await this.#remove(made);
      return startFailure(reason);
    }
  }

  async #run(
    container: Dockerode.Container,
    user: UserIds,
  ): Promise<{ live: LiveContainer; verdict: UserVerdict | null }> {
    let live: LiveContainer | null = null;
    const gone = abortWithManyListeners();
    const onEnd = (): void => {
      if (live !== null) this.markGone(live, 'the container ended');
      gone.abort(new ContainerGoneError('the container ended at once'));
    };
    const { processes, ready, detach } = await attachProcesses(container, this.#options.runner !== null, onEnd);
    this.#detach = detach;
    await withDeadline(engineMs, gone.signal, () => container.start());
    await withDeadline(engineMs, gone.signal, () => ready);
    const trial = await beginUserProbe(this.#options.workspacePath);
    let verdict: UserVerdict | null = null;
    let capabilities: ImageCapabilities;
    try {
      capabilities = await withDeadline(engineMs, gone.signal, () =>
        probeImageCapabilities({ container, processes }, user, trial),
      );
    } finally {
      verdict = (await trial?.judge()) ?? null;
    }
    const engineDisk = await watchedEngineDisk(this.#options, capabilities.volumes, processes);
    live = { container, processes, capabilities, engineDisk, goneBecause: null, mayHaveShown: null, gone };
    return { live, verdict };
  }

  /**
   * The work that does not depend on the user that commands run as. It is done once, because a large project takes
   * time.
   */
  async #prepare(): Promise<Reply<ContainerRequirements>> {
    const { engine, homeId, sessionId, workspacePath, besides, guard } = this.#options;
    const labels = {
      [labelNames.app]: 'sandbox',
      [labelNames.home]: homeId,
      [labelNames.session]: sessionId,
      [labelNames.owner]: await ownerMark(process.pid),
    };
    // An existing volume stays as it is.
    if (besides === null) {
      this.#hasVolume = true;
      await withDeadline(engineMs, null, () => engine.docker.createVolume({ Name: this.#volumeName, Labels: labels }));
    }
    const { masks, away, warnings: found } = await this.fresh.begin();
    // Only repositories from before the session count, and never what a command wrote.
    const { mounts, outside, warnings } = await findProtectedMounts(workspacePath, guard.own);
    this.#warnings = [...warnings, ...found];
    this.#pins = pinWayTo(masks, mounts);
    this.#asking = await callModeFor(workspacePath);
    this.#masks = masks;
    this.#away = await whereNothingIs(away, this.guarded);
    return success({ labels, pins: this.#pins, outside, masks });
  }

  #remove(container: Dockerode.Container, milliseconds = engineMs): Promise<boolean> {
    return removeContainer(container, milliseconds);
  }
}
