import { z } from 'zod';
import type { Reply } from '@shared/errors.ts';
import type { CodePlaces, CodeQuestions } from '../../language-servers/code-questions.ts';
import type { ToolResult } from '../define.ts';
import { defineTool, forPerson } from '../define.ts';
import { lineNumber, workspacePath } from '../values/tool-path-input.ts';
import { otherLinesText } from '../values/other-lines-text.ts';
import { errorResult, failureResult, okResult } from '../values/tool-results.ts';

const mostSymbols = 200;

export default defineTool({
  name: 'symbol_info',
  description: 'Ask the language server where a name is used or defined, for its type, or for the symbols of a file.',
  access: 'read',
  needs: 'language-server',
  input: z.object({
    what: z.enum(['references', 'definition', 'hover', 'symbols']).meta(forPerson('what is asked')),
    path: workspacePath.meta(forPerson('a file that has the name')),
    name: z.string().max(200).optional().describe('not for symbols'),
    line: lineNumber.optional().describe('where the name stands; default: its definition in the file'),
  }),
  label: ({ what, path, name }) => `${what} of ${name ?? 'the file'} in ${path}`,
  create:
    ({ languageServers }) =>
    async ({ what, path, name, line }, { sandbox, signal }) => {
      if (languageServers === undefined) return errorResult('There is no language server here. Use search.');
      const { questions } = languageServers(sandbox);
      if (what === 'symbols') return symbolsOf(questions, path, signal);
      if (name === undefined || name === '') return errorResult('"name" is missing: the name that is asked about.');
      const query = { path, name, line: line ?? null };
      if (what !== 'hover') return placesResult(what, await questions.places(what, query, signal));
      const hover = await questions.hover(query, signal);
      if (!hover.ok) return failureResult(hover.error);
      return okResult(hover.value.text === '' ? `${hover.value.server} says nothing about ${name}.` : hover.value.text);
    },
});

async function symbolsOf(questions: CodeQuestions, path: string, signal: AbortSignal): Promise<ToolResult> {
  const found = await questions.symbols(path, signal);
  if (!found.ok) return failureResult(found.error);
  const lines = found.value.map(({ name, kind, line, depth }) => `${'  '.repeat(depth)}${line}: ${kind} ${name}`);
  const more = lines.length > mostSymbols ? [`… and ${lines.length - mostSymbols} more`] : [];
  return okResult([...lines.slice(0, mostSymbols), ...more].join('\n') || `${path} has no symbols.`);
}

function placesResult(what: 'references' | 'definition', found: Reply<CodePlaces>): ToolResult {
  if (!found.ok) return failureResult(found.error);
  const { places, more, outside, otherLines, isComplete, server } = found.value;
  const lines = places.map(({ path, line, text }) => `${path}:${line}: ${text}`);
  if (more > 0) lines.push(`… and ${more} more`);
  if (outside > 0) lines.push(`… and ${outside} outside the project`);
  if (lines.length === 0) lines.push(`${server} knows no ${what === 'references' ? 'use' : 'definition'} of it.`);
  if (!isComplete) lines.push(`(${server} does not know the whole project yet: places may be missing.)`);
  const others = otherLinesText({ server, otherLines });
  return okResult([...lines, ...(others === '' ? [] : [others])].join('\n'));
}
