import type { Settings } from '@shared/settings/settings.ts';
import type { FalseAnswer } from '@shared/sandbox/false-answer.ts';
import { failure, success, toFailure, type Failure, type Reply } from '@shared/errors.ts';
import { projectKey } from '../lib/files/project-key.ts';
import { makeFolder } from '../lib/files/json-file.ts';
import type { Connection } from '../lib/net/net-fetch.ts';
import { createDockerSandbox } from './docker/create-docker-sandbox.ts';
import { engineSearch } from './docker/engine/engine-endpoints.ts';
import { ourImageName, type ImageScript } from './images/sandbox-image.ts';
import { findEngine, type Engine } from './docker/engine/container-engine.ts';
import type { SessionEnvironment } from './packages/session-environment.ts';
import { createOutboundConnections } from './network/outbound-connections.ts';
import { createReadOnlySandbox } from './read-only/read-only-sandbox.ts';
import type { AskAboutDisk, Sandbox, BackgroundProcessState } from './sandbox.ts';
import type { UntrackedPlace } from '@shared/events/sandbox-events.ts';
import { watchHidden } from './read-only/hidden-from-reading.ts';
import { findOwnImage } from './images/own-image.ts';
import { imageOf, setupOf } from './project-sandbox-settings.ts';
import { findProjectEnvironment } from './packages/project-environment.ts';
import { chooseTier, mayGoWithout, type TierWish } from './sandbox-tiers.ts';
import { checkWorkspace } from './workspace/prepare-workspace.ts';
import { orNoted } from '../lib/log.ts';

export interface SandboxFactoryDeps {
  /**
   * The Dewpoint home. It identifies what belongs to it in the engine, and contains the few files that containers
   * get.
   */
  readonly homePath: string;
  /** The folder that contains `sandbox/Dockerfile`. */
  readonly resourcesPath: string;
  /** `scripts/setup/sandbox-image.mjs` and the Node (20 or newer) to run it. Null in builds without scripts. */
  readonly imageScript: ImageScript | null;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** How this machine reaches the network, by the current settings. */
  readonly connection: () => Connection;
  /** Reports a secret that must not appear in any output from now on. */
  readonly learn?: (secret: { readonly kind: string; readonly value: string }) => void;
}

interface SandboxRequest extends TierWish {
  readonly sessionId: string;
  /** The folder that becomes the workspace. It must exist. */
  readonly workspacePath: string;
  /** The original project, if the workspace is a copy. */
  readonly projectPath?: string | null;
  readonly settings: Settings['sandbox'];
  /** An experiment: what a command answers falsely. */
  readonly falseAnswer?: FalseAnswer;
  /** Why read-only is used although something else was wanted. */
  readonly because?: Failure;
  /** Globs of files that the user hides from all commands. */
  readonly masks?: readonly string[];
  /** Called when a container was lost. `recreated` says whether the next command gets a new one. Must not throw. */
  readonly onLost: (loss: { readonly reason: string; readonly recreated: boolean }) => void;
  /** Called when a service starts or ends. Must not throw. */
  readonly onService?: (state: BackgroundProcessState) => void;
  /** Called when commands left something that this machine may run later. Must not throw. */
  readonly onUntracked?: (places: readonly UntrackedPlace[]) => void;
  /** Asks the user when a command has nearly filled the project's disk. Absent: the command is ended. */
  readonly onDiskLow?: AskAboutDisk;
  /** Called with a sentence about slow work of a first start, such as making the image. Must not throw. */
  readonly onProgress: (text: string) => void;
}

export type SandboxFactory = (request: SandboxRequest, signal: AbortSignal) => Promise<Reply<Sandbox>>;

/**
 * Starts a sandbox for a session. Fails with `missing-sandbox` (the hint says how to get one), or as
 * `checkWorkspace` does. The resulting tier is `sandbox.tier`, which the caller must show. The caller disposes of
 * the sandbox.
 */
export function createSandboxFactory(deps: SandboxFactoryDeps): SandboxFactory {
  return async (request, signal) => {
    try {
      const workspace = await checkWorkspace(request.workspacePath, {
        homePath: deps.homePath,
        needsWrite: request.needsExecute,
      });
      if (!workspace.ok) return workspace;
      const search = engineSearch(deps.env, request.settings, request.onProgress);
      const choice = await chooseTier(request, () => findEngine(search, signal));
      if (!choice.ok) return choice;
      const reading = async (because: Failure | null): Promise<Reply<Sandbox>> => {
        const workspacePath = workspace.value;
        const { settings, masks = [] } = request;
        const { homePath } = deps;
        const projectPath = await projectKey(request.projectPath ?? request.workspacePath);
        const look = await watchHidden({ workspacePath, settings, homePath, projectPath, masks }, signal);
        return success(createReadOnlySandbox({ workspacePath, because, ...look }));
      };
      if (choice.value.tier === 'read-only') return reading(choice.value.because ?? request.because ?? null);
      const made = await startContainer(
        deps,
        { ...request, workspacePath: workspace.value },
        { engine: choice.value.engine, signal },
      );
      if (made.ok || !mayGoWithout(request, made.error)) return made;
      return reading(made.error);
    } catch (error) {
      return { ok: false, error: signal.aborted ? failure('cancelled', 'It was cancelled.').error : toFailure(error) };
    }
  };
}

async function startContainer(
  deps: SandboxFactoryDeps,
  request: SandboxRequest,
  { engine, signal }: { readonly engine: Engine; readonly signal: AbortSignal },
): Promise<Reply<Sandbox>> {
  await makeFolder(deps.homePath);
  const projectPath = await projectKey(request.projectPath ?? request.workspacePath);
  const changed = await changedImage(request.settings, projectPath, deps.resourcesPath);
  return createDockerSandbox(
    engine,
    {
      sessionId: request.sessionId,
      workspacePath: request.workspacePath,
      settings: { ...request.settings, image: imageOf(request.settings, projectPath) },
      masks: request.masks ?? [],
      projectPath,
      homePath: deps.homePath,
      image: { resourcesPath: deps.resourcesPath, script: deps.imageScript, onProgress: request.onProgress },
      outward: createOutboundConnections(deps.connection, deps.env),
      sessionEnvironment: async (image) => {
        const { find, packages } = await findProjectEnvironment({ ...deps, ...request, engine, image });
        const withChanged = async (inner: AbortSignal): Promise<SessionEnvironment> => {
          const found = await find(inner);
          return changed === null ? found : { ...found, warnings: [...found.warnings, changed] };
        };
        return { packages, find: withChanged };
      },
      onLost: request.onLost,
      ...(request.onService === undefined ? {} : { onService: request.onService }),
      ...(request.onUntracked === undefined ? {} : { onUntracked: request.onUntracked }),
      ...(request.onDiskLow === undefined ? {} : { onDiskLow: request.onDiskLow }),
    },
    signal,
  );
}

/**
 * The image that the project asks for, if that changed since the user approved it. Until a new approval, the old one
 * is used.
 */
async function changedImage(
  settings: Settings['sandbox'],
  projectPath: string,
  resourcesPath: string,
): Promise<string | null> {
  const used = setupOf(settings, projectPath).image;
  if (used === null || used.approval === null) return null;
  // A file that cannot be read counts as changed.
  const own = await ourImageName(resourcesPath)
    .then((name) => findOwnImage(projectPath, name))
    .catch(orNoted('sandbox: the image of the project was not looked up', null));
  if (own?.ok === true && own.value?.approval === used.approval) return null;
  return 'The project asks for another image since your approval. The approved image is used. Look at the new one: dewpoint sandbox image use';
}
