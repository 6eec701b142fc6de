import { z } from 'zod';
import { defineTool } from './define.ts';
import { applyEdit } from './edits/match-edit.ts';
import { workspacePath } from './values/tool-path-input.ts';
import { isReadText, notUtf8, readText } from './values/decode-file-text.ts';
import { okResult } from './values/tool-results.ts';

export default defineTool({
  name: 'edit_file',
  description: 'Replace text in a file. old must stand in the file exactly once.',
  access: 'write',
  input: z.object({ path: workspacePath, old: z.string(), new: z.string() }),
  label: ({ path }) => `edit ${path}`,
  create: () => async (input, context) => {
    const known = context.lastRead(input.path);
    const read = await readText(input.path, context);
    if (!isReadText(read)) return read;
    if (known !== undefined && known !== read.sha256) {
      const output = `${input.path} was changed by somebody else since you read it. Their version is kept; read it again.`;
      return { status: 'refused', output, failure: { code: 'stale-file', message: output } };
    }
    if (read.encode === null) return notUtf8(input.path);
    const outcome = applyEdit(read.text, input.old, input.new);
    if (outcome.type === 'refused') {
      const unread = known === undefined ? ` You have not read ${input.path} yet: read it first.` : '';
      const message = `${outcome.message}${unread}`;
      return { status: 'error', output: message, failure: { code: 'bad-input', message } };
    }
    const problem = await context.writeFile(input.path, read.encode(outcome.text));
    if (problem !== null) return problem;
    const how = outcome.how.length === 0 ? '' : ` (matched although ${outcome.how.join(' and ')} differed)`;
    return okResult(`Edited ${input.path} at line ${outcome.line}${how}.`);
  },
});
