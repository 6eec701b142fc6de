import { expect, it } from 'vitest';
import { createProjectCommands, type ProjectCommandsOptions } from '../../../src/main/projects/commands.ts';

/** Catches: a folder that is said to be removed while its text is kept, or an error that says only that a process ended. */
it('a chosen folder whose text cannot be removed from the index is not searched, and that is said', async () => {
  const done: string[] = [];
  const options = {
    setup: { change: async () => void done.push('changed') },
    forgetPaths: async (paths: readonly string[]) => {
      done.push(...paths);
      throw new Error('The search of documents ended before it answered.');
    },
  } as unknown as ProjectCommandsOptions;
  const { configure } = createProjectCommands(options);
  const { signal } = new AbortController();
  const input = { projectPath: '/app', change: { type: 'no-folder', path: '/shelf/manuals' } } as const;
  await expect(configure({ input, signal })).rejects.toMatchObject({
    message: '/shelf/manuals is no longer searched, but its text is still in the index.',
    hint: expect.stringContaining('remove it again'),
  });
  expect(done).toEqual(['changed', 'manuals']);
});
