import { valueOf } from '@shared/errors.ts';
import { shellQuote } from '../lib/programs/shell-quote.ts';
import type { StartServer } from '../tools/mcp/server-process.ts';
import type { ToolContainersOptions } from './tool-containers.ts';
import { startToolContainer } from './tool-containers.ts';

/**
 * Starts each tool server in a container of its own, which can reach only the hosts in its definition and sees no
 * project.
 */
export function createContainerServers(options: ToolContainersOptions): StartServer {
  return async ({ name, definition, env, onOutput }, signal) => {
    const sandbox = await startToolContainer(options, { name }, signal);
    try {
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
