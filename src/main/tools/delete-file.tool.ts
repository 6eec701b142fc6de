import { z } from 'zod';
import { defineTool } from './define.ts';
import { workspacePath } from './paths.ts';
import { okResult } from './results.ts';

export default defineTool({
  name: 'delete_file',
  description: 'Delete one file.',
  access: 'write',
  input: z.object({ path: workspacePath }),
  label: ({ path }) => `delete ${path}`,
  create:
    () =>
    async ({ path }, context) =>
      (await context.deleteFile(path)) ?? okResult(`Deleted ${path}.`),
});
