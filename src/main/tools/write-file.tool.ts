import { z } from 'zod';
import { defineTool } from './define.ts';
import { withoutLineNumbers } from './edits/strip-line-numbers.ts';
import { workspacePath } from './values/tool-path-input.ts';
import { errorResult, okResult } from './values/tool-results.ts';

export default defineTool({
  name: 'write_file',
  description: 'Write a whole file, new or in place of the old one.',
  access: 'write',
  input: z.object({
    path: workspacePath.describe('relative to the project'),
    content: z.string().describe('the whole file'),
  }),
  label: ({ path, content }) => `write ${path} (${linesOf(content)})`,
  create:
    () =>
    async ({ path, content: given }, context) => {
      // Models copy the line numbers of `read_file` along. Real text of three lines or more does not look like that by
      // chance.
      const plain = context.lastRead(path) === undefined ? null : withoutLineNumbers(given, 3);
      const content = plain ?? given;
      const note = plain === null ? '' : '; the line numbers were left out';
      const bytes = new TextEncoder().encode(content);
      if (bytes.length > context.facts.maxWriteBytes) {
        return errorResult(
          `The content has ${bytes.length} bytes; at most ${context.facts.maxWriteBytes} can be written at once.`,
        );
      }
      return (await context.writeFile(path, bytes)) ?? okResult(`Wrote ${path} (${linesOf(content)}${note}).`);
    },
});

/** A final line break ends the last line and does not begin another one. */
function linesOf(content: string): string {
  const count = content === '' ? 0 : content.replace(/\n$/u, '').split('\n').length;
  return count === 1 ? '1 line' : `${count} lines`;
}
