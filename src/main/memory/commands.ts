import type { Handlers } from '../server/handlers.ts';
import type { ForgetEverywhere } from '../sessions/library/forget-everywhere.ts';
import type { MemoryFiles } from './memory-files.ts';

export interface MemoryCommandsOptions {
  readonly memory: MemoryFiles;
  readonly everywhere: ForgetEverywhere;
  readonly now: () => number;
}

/** The commands for the memory. Only the user calls them. */
export function createMemoryCommands({ memory, everywhere, now }: MemoryCommandsOptions): Handlers['memory'] {
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
    forget: async ({ input: { projectPath, id, onlyHere }, signal }) => {
      const line = (await memory.list(projectPath)).find((one) => one.id === id);
      const isHere = line !== undefined || onlyHere === true || !(await everywhere.isBegun(id));
      // Noted first, so that a second call finishes what a crash cut off.
      if (line !== undefined && onlyHere !== true) await everywhere.begin({ id, text: line.text });
      // A line that was replaced, and is gone from its file already, needs nothing.
      if (isHere && (line !== undefined || onlyHere !== true)) await memory.forget(projectPath, id);
      if (onlyHere === true) return show(projectPath);
      const forgotten = await everywhere.run(signal);
      return { ...(await show(projectPath)), forgotten };
    },
  };
}
