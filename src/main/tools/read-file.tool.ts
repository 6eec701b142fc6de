import { z } from 'zod';
import { defineTool } from './define.ts';
import { workspacePath } from './values/tool-path-input.ts';
import { isReadText, readText } from './values/decode-file-text.ts';
import { errorResult, okResult } from './values/tool-results.ts';

const maximumLines = 400;

export default defineTool({
  name: 'read_file',
  description: 'Read a file, with line numbers. Give from and to for a part of a long one.',
  access: 'read',
  input: z.object({
    path: workspacePath,
    from: z.number().int().min(1).optional(),
    to: z.number().int().min(1).optional(),
  }),
  label: ({ path, from, to }) =>
    `read ${path}${from === undefined && to === undefined ? '' : `:${from ?? 1}-${to ?? ''}`}`,
  create: () => async (input, context) => {
    const read = await readText(input.path, context);
    if (!isReadText(read)) return read;
    const lines = read.text.split(/\r?\n/u);
    if (lines.at(-1) === '') lines.pop();
    const from = input.from ?? 1;
    const to = Math.min(input.to ?? lines.length, lines.length, from + maximumLines - 1);
    if (lines.length === 0) return okResult(`${input.path} is empty.`);
    const note = read.encode === null ? ['(It is not UTF-8: letters that cannot be read are shown as \uFFFD.)'] : [];
    if (from > lines.length) return errorResult(`${input.path} has ${lines.length} lines; there is no line ${from}.`);
    const shown = lines.slice(from - 1, to).map((line, index) => `${from + index}: ${line}`);
    const rest =
      to < lines.length && input.to === undefined ? [`… ${lines.length - to} more lines; read from ${to + 1}`] : [];
    return okResult([...shown, ...rest, ...note].join('\n'));
  },
});
