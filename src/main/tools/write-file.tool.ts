import { z } from 'zod';
import { defineTool, forPerson } from './define.ts';
import { inFormOf } from '../lib/files/file-text.ts';
import type { ToolContext, ToolResult } from './define.ts';
import { encodeText, isBytes, isReadText, readText } from './values/decode-file-text.ts';
import { withoutLineNumbers } from './edits/strip-line-numbers.ts';
import { workspacePath } from './values/tool-path-input.ts';
import { errorResult, okResult } from './values/tool-results.ts';

export default defineTool({
  name: 'write_file',
  description: 'Write a whole file, new or in place of the old one.',
  access: 'write',
  input: z.object({
    path: workspacePath.meta(forPerson('a file of the project, relative to its folder')),
    content: z.string().meta(forPerson('the whole file')),
  }),
  label: ({ path, content }) => `write ${path} (${linesOf(content)})`,
  create:
    () =>
    async ({ path, content: given }, context) => {
      // Models copy the line numbers of `read_file` along. Real text of three lines or more does not look like that by
      // chance.
      const plain = context.files.lastRead(path) === undefined ? null : withoutLineNumbers(given, 3);
      const content = plain ?? given;
      const note = plain === null ? '' : '; the line numbers were left out';
      const bytes = await bytesFor(path, content, context);
      if (!isBytes(bytes)) return bytes;
      if (bytes.length > context.facts.maxWriteBytes) {
        return errorResult(
          `The content has ${bytes.length} bytes; at most ${context.facts.maxWriteBytes} can be written at once.`,
        );
      }
      return (await context.files.change([{ path, bytes }])) ?? okResult(`Wrote ${path} (${linesOf(content)}${note}).`);
    },
});

/** In the form of the file that is there: its encoding, byte order mark and line ends. */
async function bytesFor(path: string, content: string, context: ToolContext): Promise<Uint8Array | ToolResult> {
  const known = context.files.lastRead(path);
  // A file that the model has not read is refused where it is written.
  if (known === undefined) return new TextEncoder().encode(content);
  const read = await readText(path, context);
  // Its version counts as seen only if it is the one that the model saw.
  context.files.noteRead(path, known);
  if (!isReadText(read)) return new TextEncoder().encode(content);
  return encodeText(path, read, inFormOf(read.text, content));
}

/** A final line break ends the last line and does not begin another one. */
function linesOf(content: string): string {
  const count = content === '' ? 0 : content.replace(/\n$/u, '').split('\n').length;
  return count === 1 ? '1 line' : `${count} lines`;
}
