import { z } from 'zod';
import { defineTool } from './define.ts';
import { lineNumber, workspacePath } from './values/tool-path-input.ts';
import { isReadText, readText } from './values/decode-file-text.ts';
import { errorResult, okResult } from './values/tool-results.ts';

const maximumLines = 400;

export default defineTool({
  name: 'read_file',
  description: `Read a file, with line numbers; at most ${maximumLines} lines at once.`,
  access: 'read',
  input: z.object({
    path: workspacePath.describe('relative to the project'),
    from: lineNumber.optional().describe('first line'),
    to: lineNumber.optional().describe('last line'),
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
    const note = read.isCertain ? [] : [`(It is not UTF-8. It is read as ${read.encoding}, which may be wrong.)`];
    if (from > lines.length) return errorResult(`${input.path} has ${lines.length} lines; there is no line ${from}.`);
    if (to < from) return errorResult(`"to" (${to}) comes before "from" (${from}).`);
    // All line numbers have the same width, so that indentation does not shift from line 9 to line 10.
    const width = String(to).length;
    const numbered = (line: string, number: number): string => `${String(number).padStart(width)}: ${line}`;
    const shown = lines.slice(from - 1, to).map((line, index) => numbered(line, from + index));
    // A part of a key is known for one by the line that the key begins with.
    const key = beginOfKey(lines, from);
    if (key !== null) shown.unshift(numbered(lines[key - 1] ?? '', key));
    const isWhole = from === 1 && to === lines.length;
    const wasCut = to < Math.min(input.to ?? lines.length, lines.length);
    const more = wasCut ? `; read on from ${to + 1}` : '';
    const range = isWhole ? [] : [`[lines ${from}-${to} of ${lines.length}${more}]`];
    return okResult([...range, ...shown, ...note].join('\n'));
  },
});

/** The number of the line where a private key begins that a range begins inside of. */
function beginOfKey(lines: readonly string[], from: number): number | null {
  for (let number = from - 1; number >= 1; number -= 1) {
    const line = lines[number - 1] ?? '';
    if (/-----END [A-Z0-9 ]{0,40}PRIVATE KEY/u.test(line)) return null;
    if (/-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY/u.test(line)) return number;
  }
  return null;
}
