import { z } from 'zod';
import { defineTool, forPerson } from './define.ts';
import { workspacePath } from './values/tool-path-input.ts';
import { okResult } from './values/tool-results.ts';

export default defineTool({
  name: 'delete_file',
  description: 'Delete one file.',
  access: 'write',
  input: z.object({ path: workspacePath.meta(forPerson('a file of the project, relative to its folder')) }),
  label: ({ path }) => `delete ${path}`,
  create:
    () =>
    async ({ path }, context) =>
      (await context.files.change([{ path, bytes: null }])) ?? okResult(`Deleted ${path}.`),
});
