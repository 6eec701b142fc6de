import { valueOf } from '@shared/errors.ts';
import type { StartServer } from '../tools/mcp/server-process.ts';
import type { ToolContainersOptions } from './tool-containers.ts';
import { cleanStart, keptPackages, serverCommand } from './server-command.ts';
import { startToolContainer } from './tool-containers.ts';

/** Without a network, a package runner fails at once. By itself, npm tries again for more than a minute. */
const askOnce = { NPM_CONFIG_FETCH_RETRIES: '0', PIP_RETRIES: '0', UV_HTTP_RETRIES: '0' };

/**
 * Starts each tool server in a container of its own, which can reach only the hosts in its definition and sees no
 * project.
 */
export function createContainerServers(options: ToolContainersOptions): StartServer {
  return async ({ name, definition, env, onOutput, onRefused }, signal) => {
    const sandbox = await startToolContainer(options, { name }, signal);
    const command = serverCommand([definition.command, ...definition.args]);
    try {
      const opened = valueOf(
        await sandbox.open(
          {
            command: definition.hosts.length > 0 ? cleanStart(command) : command,
            // What a package runner gets stays in the server's own folder, so that the next start is quick.
            env: {
              NPM_CONFIG_CACHE: `${keptPackages}/npm`,
              PIP_CACHE_DIR: `${keptPackages}/pip`,
              ...(definition.hosts.length === 0 ? askOnce : {}),
              ...env,
            },
            hosts: definition.hosts,
            onOutput: ({ stream, bytes }) => onOutput(stream, bytes),
            onDecision: ({ host, reason }) => (reason === 'not-listed' ? onRefused?.(host) : undefined),
          },
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
