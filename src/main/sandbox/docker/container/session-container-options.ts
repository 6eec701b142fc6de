import type Dockerode from 'dockerode';
import type { Log } from '../../../lib/log.ts';
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
  /** Of volumes, images and what containers write; null where it is that of the project, or cannot be told. */
  readonly engineDisk: WatchedDisk | null;
  /** Why it is no longer there; null while it is. */
  goneBecause: string | null;
  /** Aborted when it is found to be gone: the engine does not always end the streams of a container that was killed. */
  readonly gone: AbortController;
}

export interface SessionContainerOptions {
  readonly engine: Engine;
  readonly imageId: string;
  /** Null: every process is an exec of the engine. */
  readonly runner: RunnerPlace | null;
  readonly sessionId: string;
  readonly homeId: string;
  /** Where the few files are kept that a container is given. */
  readonly supportFolder: string;
  /** A real path on the host. */
  readonly workspacePath: string;
  /** Who commands may run as, the likeliest first. */
  readonly users: readonly ContainerUser[];
  /** Our own profile of system calls, as JSON. */
  readonly seccomp: string;
  /** Whoever made it disposes of it. */
  readonly guard: RepositoryGuard;
  /** What is looked for in the project before every container. */
  readonly look: (signal: AbortSignal) => Promise<HiddenFiles>;
  readonly memoryBytes: number;
  readonly cpus: number;
  readonly pids: number;
  readonly extra: readonly ExtraMount[];
  readonly environment: Readonly<Record<string, string>>;
  /** For one command beside a session: it shares that one's scratch volume, perhaps its network, and is not made again when it is lost. */
  readonly besides: { readonly scratchVolume: string; readonly networkOf: string | null } | null;
  readonly log: Log;
  /** How long an engine that has gone away is waited for. */
  readonly engineWaitMs: number;
  /** Called once for every loss, after the try to make a new one; where the engine is waited for, before it, too, and when it did not come back. Must not throw. */
  readonly onLost: (loss: { readonly reason: string; readonly recreated: boolean }) => void;
}
