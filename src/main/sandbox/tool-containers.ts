import { join } from 'node:path';
import { AppError, valueOf, type Reply } from '@shared/errors.ts';
import type { Settings } from '@shared/settings/settings.ts';
import { makeFolder } from '../lib/files/json-file.ts';
import type { ExecResult, NetworkRequest, Sandbox } from './sandbox.ts';
import type { SandboxFactory } from './sandbox-factory.ts';

export interface ToolContainersOptions {
  /**
   * The folder of our workspaces. Each server or tool has its own folder in it, which is all that it sees of this
   * machine.
   */
  readonly folder: string;
  readonly startSandbox: SandboxFactory;
  readonly settings: () => Settings['sandbox'];
  readonly onNotice: (text: string) => void;
}

/**
 * Starts a container without any project, for the tool or server `name`. Rejects if there is none, and never runs on
 * this machine instead.
 */
export async function startToolContainer(
  { folder, startSandbox, settings, onNotice }: ToolContainersOptions,
  { name, session = name }: { readonly name: string; readonly session?: string },
  signal: AbortSignal,
): Promise<Sandbox> {
  const workspacePath = toolFolderOf({ folder }, name);
  await makeFolder(workspacePath);
  const sandbox = valueOf(
    await startSandbox(
      {
        sessionId: `tools-${session}`,
        workspacePath,
        projectPath: null,
        settings: settings(),
        wanted: 'container',
        needsExecute: true,
        onLost: () => undefined,
        onProgress: onNotice,
      },
      signal,
    ),
  );
  if (sandbox.tier !== 'read-only') return sandbox;
  await sandbox.dispose();
  throw new AppError('missing-sandbox', `The tool ${name} needs a container.`);
}

/** The folder that a server or tool keeps, among our workspaces. */
export function toolFolderOf({ folder }: Pick<ToolContainersOptions, 'folder'>, name: string): string {
  return join(folder, `tools-${name}`);
}

/** Runs one command in a container of its own. */
export type RunApart = (name: string, request: NetworkRequest, signal: AbortSignal) => Promise<Reply<ExecResult>>;

/** Like `startToolContainer`, for a single command that can reach its hosts, or no network at all. */
export function createApartRuns(options: ToolContainersOptions): RunApart {
  let count = 0;
  return async (name, request, signal) => {
    count += 1;
    const sandbox = await startToolContainer(options, { name, session: `${name}-${count}` }, signal);
    try {
      if (request.hosts.length > 0) return await sandbox.runWithNetwork(request, signal);
      return await sandbox.exec(request, signal);
    } finally {
      await sandbox.dispose();
    }
  };
}
