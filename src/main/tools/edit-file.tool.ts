import { z } from 'zod';
import type { ToolContext, ToolResult } from './define.ts';
import { defineTool, forFull } from './define.ts';
import { applyEdit } from './edits/match-edit.ts';
import { workspacePath } from './values/tool-path-input.ts';
import { encodeText, isBytes, isReadText, readText } from './values/decode-file-text.ts';
import { okResult } from './values/tool-results.ts';

const oldText = z.string().describe('text to replace, as it stands in the file, once; empty: creates the file');
const newText = z.string().describe('text in its place');
const everywhere = z.boolean().optional().describe('replace every place');

const edit = z.object({ old: z.string(), new: z.string(), replaceAll: z.boolean().optional() });

export default defineTool({
  name: 'edit_file',
  description: 'Replace text in a file, or create one.',
  access: 'write',
  input: z.object({
    path: workspacePath.describe('relative to the project'),
    old: oldText,
    new: newText,
    replaceAll: everywhere.meta(forFull),
    more: z.array(edit).max(50).optional().describe('further edits of this file, in order; all or none').meta(forFull),
  }),
  label: ({ path }) => `edit ${path}`,
  create: () => async (input, context) => {
    const edits = [input, ...(input.more ?? [])];
    const known = context.lastRead(input.path);
    const read = await readText(input.path, context);
    if (!isReadText(read)) {
      const isNew = read.failure?.code === 'not-found' && input.old.trim() === '' && edits.length === 1;
      return isNew ? create(input, context) : read;
    }
    if (known !== undefined && known !== read.sha256) {
      const output = `${input.path} was changed by somebody else since you read it. Their version is kept; read it again.`;
      return { status: 'error', output, failure: { code: 'stale-file', message: output } };
    }
    const done: string[] = [];
    let { text } = read;
    const shown = (part: string): string => context.restoreHidden?.(part, read.text) ?? part;
    for (const [index, given] of edits.entries()) {
      const one = { ...given, old: shown(given.old), new: shown(given.new) };
      const outcome = applyEdit(text, one.old, one.new, one.replaceAll === true);
      if (outcome.type === 'refused') {
        const which = edits.length === 1 ? '' : `Edit ${index + 1} of ${edits.length}: `;
        const unread = known === undefined ? ` You have not read ${input.path} yet: read it first.` : '';
        const none = edits.length === 1 ? '' : ' No edit of this call was made.';
        return badInput(`${which}${outcome.message}${unread}${none}`);
      }
      ({ text } = outcome);
      const how = outcome.how.length === 0 ? '' : ` (matched although ${outcome.how.join(' and ')} differed)`;
      const places = outcome.places === undefined ? '' : ` and ${outcome.places - 1} more places`;
      done.push(`Edited ${input.path} at line ${outcome.line}${places}${how}.`);
    }
    const bytes = encodeText(input.path, read, text);
    if (!isBytes(bytes)) return bytes;
    const problem = await context.writeFile(input.path, bytes);
    return problem ?? okResult(done.join('\n'));
  },
});

async function create(
  { path, new: text }: { readonly path: string; readonly new: string },
  context: ToolContext,
): Promise<ToolResult> {
  return (await context.writeFile(path, new TextEncoder().encode(text))) ?? okResult(`Created ${path}.`);
}

function badInput(message: string): ToolResult {
  return { status: 'error', output: message, failure: { code: 'bad-input', message } };
}
