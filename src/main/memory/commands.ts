import type { Handlers } from '../server/handlers.ts';
import type { MemoryFiles } from './memory-files.ts';

export interface MemoryCommandsOptions {
  readonly memory: MemoryFiles;
  readonly now: () => number;
}

/** The commands for the memory. Only the user calls them. */
export function createMemoryCommands({ memory, now }: MemoryCommandsOptions): Handlers['memory'] {
  const show = async (projectPath: string | null) => ({
    files: await memory.paths(projectPath),
    lines: await memory.list(projectPath),
  });
  return {
    list: ({ input: { projectPath } }) => show(projectPath),
    add: async ({ input: { projectPath, text, of } }) => {
      const date = new Date(now()).toISOString().slice(0, 10);
      await memory.add(of === 'you' ? null : projectPath, { text, date, sessionId: null, isAfterOutside: false });
      return show(projectPath);
    },
    forget: async ({ input: { projectPath, id } }) => {
      await memory.forget(projectPath, id);
      return show(projectPath);
    },
  };
}
