import { z } from 'zod';
import type { ReadDocument } from '../documents/read-document.ts';
import type { ToolContext, ToolResult } from './define.ts';
import { defineTool, forPerson } from './define.ts';
import { lineNumber, resultIdOf, workspacePath } from './values/tool-path-input.ts';
import { isReadText, textIn } from './values/decode-file-text.ts';
import { isShownDocument, readLimit, shownDocument } from './values/shown-document.ts';
import { errorResult, failureResult, okResult } from './values/tool-results.ts';

const maximumLines = 2_000;
/** Room for the lines that say what is left out. */
const noteBytes = 300;

export default defineTool({
  name: 'read_file',
  description: 'Read a file, with line numbers.',
  access: 'read',
  input: z.object({
    path: workspacePath.meta(forPerson('a file of the project, relative to its folder')),
    from: lineNumber.optional().describe('default: 1'),
    to: lineNumber.optional().describe(`default: ${maximumLines} lines on`),
  }),
  label: ({ path, from, to }) =>
    `read ${path}${from === undefined && to === undefined ? '' : `:${from ?? 1}-${to ?? ''}`}`,
  create:
    ({ readDocument }) =>
    async (input, context) => {
      const read = await textAt(input.path, context, readDocument ?? null);
      if (!isShown(read)) return read;
      const lines = read.text.split(/\r?\n/u);
      if (lines.at(-1) === '') lines.pop();
      const from = input.from ?? 1;
      const last = Math.min(input.to ?? lines.length, lines.length);
      if (lines.length === 0) return okResult(`${input.path} is empty.`);
      if (from > lines.length) {
        const here = `${input.path} has ${lines.length} lines; there is no line ${from}.`;
        // Of a document, perhaps only the beginning was read.
        return errorResult([here, ...read.about].join('\n'));
      }
      if (last < from) return errorResult(`"to" (${last}) comes before "from" (${from}).`);
      const end = Math.min(last, from + maximumLines - 1);
      const shown = numberedLines(lines, { from, to: end }, context.facts.shownBytes);
      const to = from + shown.length - 1;
      // A part of a key is known for one by the line that the key begins with.
      const key = beginOfKey(lines, from);
      if (key !== null) shown.unshift(numbered(lines[key - 1] ?? '', key, end));
      const isWhole = from === 1 && to === lines.length;
      const more = to < last ? `; use from=${to + 1} to read on` : '';
      const range = isWhole ? [] : [`[Showing lines ${from}-${to} of ${lines.length}${more}]`];
      return okResult([...read.about, ...range, ...shown, ...read.notes].join('\n'));
    },
});

interface Shown {
  readonly text: string;
  /** Comes before the text. */
  readonly about: readonly string[];
  readonly notes: readonly string[];
}

const isShown = (value: Shown | ToolResult): value is Shown => 'notes' in value;

/** The text of a file, or of a result that was shown cut. */
async function textAt(
  path: string,
  context: ToolContext,
  readDocument: ReadDocument | null,
): Promise<Shown | ToolResult> {
  const id = resultIdOf(path);
  if (id !== null) {
    const text = (await context.keptResult?.(id)) ?? null;
    return text === null
      ? errorResult(`No result that was shown cut has the id ${id}.`)
      : { text, about: [], notes: [] };
  }
  const limit = readDocument === null ? {} : readLimit(path);
  const reply = await context.sandbox.files.read(path, limit, context.signal);
  if (!reply.ok) return failureResult(reply.error);
  const asked = { read: readDocument, context };
  const document = await shownDocument(path, reply.value, asked);
  if (document !== null) return isShownDocument(document) ? { ...document, notes: [] } : document;
  const read = textIn(path, reply.value, context);
  if (!isReadText(read)) return read;
  const note = `(It is not UTF-8. It is read as ${read.encoding}, which may be wrong.)`;
  return { text: read.text, about: [], notes: read.isCertain ? [] : [note] };
}

/** All line numbers have the same width, so that indentation does not shift from line 9 to line 10. */
function numbered(line: string, number: number, last: number): string {
  return `${String(number).padStart(String(last).length)}: ${line}`;
}

/** As many lines as there is room for, and at least one, which is cut where it is longer. */
function numberedLines(
  lines: readonly string[],
  { from, to }: { readonly from: number; readonly to: number },
  mostBytes: number,
): string[] {
  const room = mostBytes - noteBytes;
  const shown: string[] = [];
  let bytes = 0;
  for (let number = from; number <= to; number += 1) {
    const line = numbered(lines[number - 1] ?? '', number, to);
    bytes += Buffer.byteLength(line) + 1;
    if (bytes > room && shown.length > 0) break;
    // A UTF-16 unit has at most three bytes.
    shown.push(bytes > room ? `${line.slice(0, Math.floor(room / 3))} … (the rest of this line is left out)` : line);
  }
  return shown;
}

/** The number of the line where a private key begins that a range begins inside of. */
function beginOfKey(lines: readonly string[], from: number): number | null {
  for (let number = from - 1; number >= 1; number -= 1) {
    const line = lines[number - 1] ?? '';
    if (/-----END [A-Z0-9 ]{0,40}PRIVATE KEY/u.test(line)) return null;
    if (/-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY/u.test(line)) return number;
  }
  return null;
}
