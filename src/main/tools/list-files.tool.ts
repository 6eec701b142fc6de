import { z } from 'zod';
import { defineTool } from './define.ts';
import { workspacePath } from './values/tool-path-input.ts';
import { failureResult, okResult } from './values/tool-results.ts';

export default defineTool({
  name: 'list_files',
  description: 'List files and folders of the project.',
  access: 'read',
  input: z.object({ path: workspacePath.default('.'), depth: z.number().int().min(1).max(20).optional() }),
  label: ({ path }) => `list ${path}`,
  create: () => async (input, context) => {
    const options = { limit: 500, ...(input.depth === undefined ? {} : { depth: input.depth }) };
    const reply = await context.sandbox.list(input.path, options, context.signal);
    if (!reply.ok) return failureResult(reply.error);
    const { entries, truncated, unseen } = reply.value;
    const lines = entries.map((entry) => (entry.kind === 'folder' ? `${entry.path}/` : entry.path));
    const more = truncated ? ['… there are more; list a folder below this one'] : [];
    const closed = unseen.slice(0, 20).map((path) => `… ${path}/ could not be looked into`);
    return okResult([...lines, ...more, ...closed].join('\n') || '(empty)', { entries, truncated });
  },
});
