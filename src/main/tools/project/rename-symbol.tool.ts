import { z } from 'zod';
import type { NewFile } from '../define.ts';
import { defineTool, forPerson } from '../define.ts';
import { encodeText, isBytes, isReadText, readText } from '../values/decode-file-text.ts';
import { otherLinesText } from '../values/other-lines-text.ts';
import { lineNumber, workspacePath } from '../values/tool-path-input.ts';
import { errorResult, failureResult, okResult } from '../values/tool-results.ts';

const identifier = /^[\p{L}_$][\p{L}\p{N}_$]*$/u;

export default defineTool({
  name: 'rename_symbol',
  description: 'Rename a function, class, variable or the like everywhere, in one change, by the language server.',
  access: 'write',
  needs: 'language-server',
  input: z.object({
    path: workspacePath.meta(forPerson('a file that has the name')),
    name: z.string().min(1).max(200).meta(forPerson('the name as it is')),
    newName: z.string().min(1).max(200).regex(identifier).meta(forPerson('the new name')),
    line: lineNumber.optional().describe('where the name stands; default: its definition in the file'),
  }),
  label: ({ path, name, newName }) => `rename ${name} to ${newName} from ${path}`,
  create:
    ({ languageServers }) =>
    async ({ path, name, newName, line }, context) => {
      if (languageServers === undefined) return errorResult('There is no language server here. Edit the files.');
      const { questions } = languageServers(context.sandbox);
      const renamed = await questions.rename({ path, name, line: line ?? null }, newName, context.signal);
      if (!renamed.ok) return failureResult(renamed.error);
      const files: NewFile[] = [];
      for (const { path: changed, sha256, text } of renamed.value.files) {
        const read = await readText(changed, context);
        if (!isReadText(read)) return read;
        if (read.sha256 !== sha256)
          return errorResult(`${changed} was changed meanwhile. Nothing was renamed; try again.`);
        const bytes = encodeText(changed, read, text);
        if (!isBytes(bytes)) return bytes;
        files.push({ path: changed, bytes });
      }
      const problem = await context.files.change(files);
      if (problem !== null) return problem;
      const done = `Renamed ${name} to ${newName} in ${files.map((one) => one.path).join(', ')}.`;
      const left = otherLinesText(renamed.value);
      return okResult(left === '' ? done : `${done}\n${left}`);
    },
});
