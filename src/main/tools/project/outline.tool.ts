import { z } from 'zod';
import { defineTool, forPerson } from '../define.ts';
import { workspacePath } from '../values/tool-path-input.ts';
import { errorResult, failureResult, okResult } from '../values/tool-results.ts';

const mostLines = 300;

export default defineTool({
  name: 'outline',
  description: 'List what a source file defines, with lines and signatures.',
  access: 'read',
  needs: 'symbols',
  input: z.object({ path: workspacePath.meta(forPerson('a source file')) }),
  label: ({ path }) => `outline ${path}`,
  create:
    () =>
    async ({ path }, { facts: { symbols }, signal }) => {
      if (symbols === null) return errorResult('There is no project here. Use read_file.');
      const found = await symbols.outline(path.replace(/^\.\//u, ''), signal);
      if (!found.ok) return failureResult(found.error);
      if (found.value.length === 0)
        return errorResult(
          `No names are known in ${path}: it is no source file of a language that is known here, or a folder. For a file, use read_file.`,
        );
      const lines = found.value.map(
        ({ line, endLine, container, signature }) =>
          `${line}-${endLine}: ${container === null ? '' : `${container}: `}${signature}`,
      );
      const more = lines.length > mostLines ? [`… and ${lines.length - mostLines} more`] : [];
      return okResult([...lines.slice(0, mostLines), ...more].join('\n'), { definitions: found.value });
    },
});
