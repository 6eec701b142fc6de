import { z } from 'zod';
import { defineTool } from './define.ts';
import { workspacePath } from './paths.ts';
import { errorResult, okResult } from './results.ts';

export default defineTool({
  name: 'write_file',
  description: 'Write a whole file, new or in place of the old one.',
  access: 'write',
  input: z.object({ path: workspacePath, content: z.string() }),
  label: ({ path, content }) => `write ${path} (${content.split('\n').length} lines)`,
  create:
    () =>
    async ({ path, content }, context) => {
      const bytes = new TextEncoder().encode(content);
      if (bytes.length > context.facts.maxWriteBytes) {
        return errorResult(
          `The content has ${bytes.length} bytes; at most ${context.facts.maxWriteBytes} can be written at once.`,
        );
      }
      return (await context.writeFile(path, bytes)) ?? okResult(`Wrote ${path} (${content.split('\n').length} lines).`);
    },
});
