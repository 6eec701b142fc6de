import { z } from 'zod';
import type { ToolContext, ToolResult } from './define.ts';
import { defineTool, forFull, forPerson } from './define.ts';
import { isNotebookName } from '../lib/files/document-kind.ts';
import { editNotebook } from './edits/edit-notebook.ts';
import { applyEdit } from './edits/match-edit.ts';
import { workspacePath } from './values/tool-path-input.ts';
import { encodeText, isBytes, isReadText, readText } from './values/decode-file-text.ts';
import { okResult } from './values/tool-results.ts';

const oldText = z.string().describe('text that stands in the file once; empty: creates the file');
const newText = z.string().meta(forPerson('its new text'));
const everywhere = z.boolean().optional();

export default defineTool({
  name: 'edit_file',
  description: 'Replace text in a file, or create one.',
  access: 'write',
  input: z.object({
    path: workspacePath.meta(forPerson('a file of the project, relative to its folder')),
    old: oldText,
    new: newText,
    replaceAll: everywhere.meta({ ...forFull, ...forPerson('every place; default: only one') }),
  }),
  label: ({ path }) => `edit ${path}`,
  create: () => async (input, context) => {
    const { path } = input;
    const known = context.files.lastRead(path);
    const read = await readText(path, context);
    if (!isReadText(read))
      return read.failure?.code === 'not-found' && input.old.trim() === '' ? create(input, context) : read;
    if (known !== undefined && known !== read.sha256) {
      const output = `${path} was changed by somebody else since you read it. Their version is kept; read it again.`;
      return { status: 'error', output, failure: { code: 'stale-file', message: output } };
    }
    const shown = (part: string): string => context.files.restoreHidden?.(part, read.text) ?? part;
    const edit = { old: shown(input.old), new: shown(input.new), everywhere: input.replaceAll === true };
    const inCell = isNotebookName(path) ? editNotebook(read.text, edit) : null;
    const outcome = inCell ?? applyEdit(read.text, edit.old, edit.new, edit.everywhere);
    if (outcome.type === 'refused') {
      const unread = known === undefined ? ` You have not read ${path} yet: read it first.` : '';
      return badInput(`${outcome.message}${unread}`);
    }
    const bytes = encodeText(path, read, outcome.text);
    if (!isBytes(bytes)) return bytes;
    const how = outcome.how.length === 0 ? '' : ` (matched although ${outcome.how.join(' and ')} differed)`;
    const places = outcome.places === undefined ? '' : ` and ${morePlaces(outcome.places - 1)}`;
    const problem = await context.files.change([{ path, bytes }]);
    const where = inCell?.type === 'applied' ? ` in cell ${inCell.cell}${addedText(inCell.added)},` : '';
    return problem ?? okResult(`Edited ${path}${where} at line ${outcome.line}${places}${how}.`);
  },
});

const morePlaces = (more: number): string => `${more} more ${more === 1 ? 'place' : 'places'}`;

function addedText(added: number): string {
  if (added === 0) return '';
  return added === 1 ? ' with one new cell after it' : ` with ${added} new cells after it`;
}

async function create(
  { path, new: text }: { readonly path: string; readonly new: string },
  context: ToolContext,
): Promise<ToolResult> {
  return (
    (await context.files.change([{ path, bytes: new TextEncoder().encode(text) }])) ?? okResult(`Created ${path}.`)
  );
}

function badInput(message: string): ToolResult {
  return { status: 'error', output: message, failure: { code: 'bad-input', message } };
}
