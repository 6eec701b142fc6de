import { join } from 'node:path';
import { valueOf, AppError } from '@shared/errors.ts';
import type { Settings } from '@shared/settings/settings.ts';
import { makeFolder } from '../lib/files/json-file.ts';
import { shellQuote } from '../lib/programs/shell-quote.ts';
import type { StartServer } from '../tools/mcp/server-process.ts';
import type { SandboxFactory } from './sandbox-factory.ts';

export interface ContainerServersOptions {
  /** Where workspaces of ours lie. Each server has a folder of its own in it, which is all that it sees of this machine. */
  readonly folder: string;
  readonly startSandbox: SandboxFactory;
  readonly settings: () => Settings['sandbox'];
  readonly onNotice: (text: string) => void;
}

/** Starts tool servers in containers: one each, with a way to the hosts of its definition and no other, and without any project. Never on this machine instead. */
export function createContainerServers({
  folder,
  startSandbox,
  settings,
  onNotice,
}: ContainerServersOptions): StartServer {
  return async ({ name, definition, env, onOutput }, signal) => {
    const workspacePath = join(folder, `tools-${name}`);
    await makeFolder(workspacePath);
    const sandbox = valueOf(
      await startSandbox(
        {
          sessionId: `tools-${name}`,
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
    try {
      if (sandbox.tier === 'read-only')
        throw new AppError('missing-sandbox', `The tool server ${name} needs a container.`);
      const command = `exec ${[definition.command, ...definition.args].map(shellQuote).join(' ')}`;
      const opened = valueOf(
        await sandbox.open(
          { command, env, hosts: definition.hosts, onOutput: ({ stream, bytes }) => onOutput(stream, bytes) },
          signal,
        ),
      );
      void opened.ended.then(() => sandbox.dispose());
      return {
        ended: opened.ended,
        write: (bytes) => opened.write(bytes),
        close: async () => {
          await opened.close();
          await sandbox.dispose();
        },
      };
    } catch (error) {
      await sandbox.dispose();
      throw error;
    }
  };
}
