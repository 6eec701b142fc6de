import { z } from 'zod';
import { defineTool } from './define.ts';
import { workspacePath } from './values/tool-path-input.ts';
import { failureResult, okResult } from './values/tool-results.ts';

const maximumMatches = 100;
const maximumLineLength = 300;

export default defineTool({
  name: 'search',
  description: 'Search the files for a regular expression.',
  access: 'read',
  input: z.object({
    pattern: z.string().min(1).max(1000),
    path: workspacePath.optional(),
    glob: z.string().max(200).optional(),
  }),
  label: ({ pattern, path }) => `search ${JSON.stringify(pattern)}${path === undefined ? '' : ` in ${path}`}`,
  create: () => async (input, context) => {
    const query = {
      pattern: input.pattern,
      limit: maximumMatches,
      ...(input.path === undefined ? {} : { path: input.path }),
      ...(input.glob === undefined ? {} : { glob: input.glob }),
    };
    let reply = await context.sandbox.search(query, context.signal);
    // A model often means plain text when it writes something that is no regular expression.
    if (!reply.ok && reply.error.code === 'bad-input')
      reply = await context.sandbox.search({ ...query, literal: true }, context.signal);
    if (!reply.ok) return failureResult(reply.error);
    const { matches, truncated } = reply.value;
    const lines = matches.map(({ path, line, text }) => `${path}:${line}: ${text.slice(0, maximumLineLength)}`);
    if (lines.length === 0) return okResult('No match.', { matches, truncated });
    return okResult([...lines, ...(truncated ? ['… there are more matches'] : [])].join('\n'), { matches, truncated });
  },
});
