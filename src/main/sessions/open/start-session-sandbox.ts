import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Reply } from '@shared/errors.ts';
import { failure, toFailure, valueOf } from '@shared/errors.ts';
import { makeFolder } from '../../lib/files/json-file.ts';
import { orNoted } from '../../lib/log.ts';
import { createLateSandbox } from '../../sandbox/late-sandbox.ts';
import type { Sandbox } from '../../sandbox/sandbox.ts';
import type { LiveJournal } from '../journal/live-journal.ts';
import type { sandboxRequest } from './sandbox-request.ts';
import { noteSandbox } from './sandbox-request.ts';
import type { OpenSessionsOptions, SessionWorkspaces } from './session-options.ts';

type StartRequest = Parameters<SessionWorkspaces['startSandbox']>[0];
type SandboxWish = Awaited<ReturnType<typeof sandboxRequest>>;

/** If work has no container: a read-only sandbox that says why. Its turn then ends with what is missing. */
export async function strongSandbox(
  { startSandbox }: Pick<SessionWorkspaces, 'startSandbox'>,
  request: StartRequest,
  signal: AbortSignal,
): Promise<Reply<Sandbox>> {
  const started = await startSandbox(request, signal);
  if (started.ok) return started;
  if (started.error.code === 'not-found')
    return failure(
      'not-found',
      `${started.error.message} Nothing was sent.`,
      'If it was moved, say on the page of the project where it lies now, or: dewpoint projects set PROJECT --folder DIR',
    );
  if (started.error.code !== 'missing-sandbox') return started;
  return startSandbox({ ...request, wanted: 'read-only', needsExecute: false, because: started.error }, signal);
}

/** For chats: the container is started, and logged, when a turn first needs it. */
export async function lateSandbox(
  { workspaces, homePath }: Pick<OpenSessionsOptions, 'workspaces' | 'homePath'>,
  { journal, request }: { readonly journal: LiveJournal; readonly request: SandboxWish },
  signal: AbortSignal,
): Promise<Sandbox> {
  const note = (sandbox: Sandbox): Promise<void> => noteSandbox({ homePath }, journal, sandbox.description);
  return startedLate(workspaces, { request, note }, signal);
}

/** A sandbox that only reads until a turn needs a container. `note` gets the one that was started then. */
async function startedLate(
  workspaces: Pick<SessionWorkspaces, 'startSandbox'>,
  {
    request,
    note,
  }: { readonly request: Omit<StartRequest, 'needsExecute'>; readonly note?: (sandbox: Sandbox) => Promise<void> },
  signal: AbortSignal,
): Promise<Sandbox> {
  const { startSandbox } = workspaces;
  const reading = { ...request, wanted: 'read-only', needsExecute: false } as const;
  const first = valueOf(await startSandbox(reading, signal));
  return createLateSandbox(first, async (startSignal) => {
    const started = await strongSandbox(workspaces, { ...request, needsExecute: true }, startSignal).catch(
      (error: unknown): Reply<Sandbox> => ({ ok: false, error: toFailure(error) }),
    );
    const sandbox = started.ok
      ? started.value
      : valueOf(await startSandbox({ ...reading, because: started.error }, startSignal));
    await note?.(sandbox);
    return sandbox;
  });
}

/** A sandbox with an empty folder that goes with it. */
export interface ComputingPlace {
  readonly sandbox: Sandbox;
  readonly dispose: () => Promise<void>;
}

/**
 * For talks and questions inside a project, which compute away from its files. The container is started when a turn first
 * needs it.
 */
export async function createComputingPlace(
  { workspaces, homePath }: Pick<OpenSessionsOptions, 'workspaces' | 'homePath'>,
  {
    sessionId,
    settings,
    onProgress,
    falseAnswer,
  }: Pick<SandboxWish, 'sessionId' | 'settings' | 'onProgress' | 'falseAnswer'>,
  signal: AbortSignal,
): Promise<ComputingPlace> {
  const workspacePath = join(homePath, 'workspaces', `${sessionId}-computing`);
  await makeFolder(workspacePath);
  const apart = { sessionId: `computing-${sessionId}`, workspacePath, projectPath: null, settings, onProgress };
  const experiment = falseAnswer === undefined ? {} : { falseAnswer };
  const request = { ...apart, ...experiment, wanted: 'container', onLost: () => undefined } as const;
  const sandbox = await startedLate(workspaces, { request }, signal);
  return {
    sandbox,
    dispose: async () => {
      await sandbox.dispose();
      await rm(workspacePath, { recursive: true, force: true }).catch(
        orNoted('A folder to compute in stays', undefined),
      );
    },
  };
}
