import type { CommitAuthor } from '../user/commit-author.ts';
import type Dockerode from 'dockerode';
import type { ExtraMount } from '../../sandbox.ts';
import type { ImageCapabilities } from './image-capabilities.ts';
import type { ContainerProcesses } from '../exec/container-process.ts';
import type { WatchedDisk } from '../engine/disk-watch.ts';
import type { Engine } from '../engine/container-engine.ts';
import type { HiddenFiles } from '../../workspace/find-hidden-files.ts';
import type { RepositoryGuard } from '../../workspace/repositories/repository-guard.ts';
import type { RunnerPlace } from '../runner/runner-processes.ts';
import type { ContainerUser } from '../user/user-candidates.ts';

export interface LiveContainer {
  readonly container: Dockerode.Container;
  readonly processes: ContainerProcesses;
  readonly capabilities: ImageCapabilities;
  /** The disk of volumes, images and containers' own files. Null if it is the project's disk, or unknown. */
  readonly engineDisk: WatchedDisk | null;
  /** Why the container is gone. Null while it exists. */
  goneBecause: string | null;
  /** A path that must stay hidden, and whose content the container may have shown. Null: there is none. */
  mayHaveShown: string | null;
  /**
   * Aborted when the container is found to be gone, because the engine does not always end the streams of a killed
   * container.
   */
  readonly gone: AbortController;
}

export interface SessionContainerOptions {
  readonly engine: Engine;
  readonly imageId: string;
  /** Null: every process is an `exec` of the engine. */
  readonly runner: RunnerPlace | null;
  readonly sessionId: string;
  readonly homeId: string;
  /** The folder of the few files that containers get. */
  readonly supportFolder: string;
  /** A real path on the host. */
  readonly workspacePath: string;
  /** The users that commands may run as, likeliest first. */
  readonly users: readonly ContainerUser[];
  /** Our own profile of system calls, as JSON. */
  readonly seccomp: string;
  /** Its creator disposes of it. */
  readonly guard: RepositoryGuard;
  /** Searches the project for files to hide, before each container. */
  readonly look: (signal: AbortSignal) => Promise<HiddenFiles>;
  readonly memoryBytes: number;
  readonly cpus: number;
  readonly pids: number;
  readonly extra: readonly ExtraMount[];
  readonly environment: Readonly<Record<string, string>>;
  readonly author: CommitAuthor;
  /**
   * Set for the container of one command beside a session. It shares the session's scratch volume, perhaps a
   * network, and is not replaced when it is lost.
   */
  readonly besides: { readonly scratchVolume: string; readonly networkOf: string | null } | null;
  /** How long to wait for an engine that has stopped. */
  readonly engineWaitMs: number;
  /**
   * Called once for every loss, after the attempt to make a new container. If the engine is waited for, it is also
   * called before that, and when the engine did not come back. Must not throw.
   */
  readonly onLost: (loss: { readonly reason: string; readonly recreated: boolean }) => void;
}
