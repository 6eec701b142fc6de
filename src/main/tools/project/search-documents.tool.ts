import { z } from 'zod';
import {
  cutText,
  noVectorModel,
  searchedByText,
  unreadText,
  vectorsOff,
  type FoundPart,
} from '@shared/documents/document-search.ts';
import { searchWords } from '../../lib/search-words.ts';
import { partWord } from '../../lib/files/document-kind.ts';
import { defineTool, forFull, forPerson } from '../define.ts';
import { errorResult, failureResult, okResult } from '../values/tool-results.ts';

const usualParts = 6;
const mostShownLines = 24;
/** Only this tool reads a chosen folder, so it shows more of a part there. */
const mostOutsideLines = 80;
const mostLineCharacters = 400;

export default defineTool({
  name: 'search_documents',
  description:
    'Find the parts of documents (PDF, Word, Excel, Markdown …) that fit a question. Cite the file, line and page.',
  access: 'read',
  needs: 'documents',
  input: z.object({
    words: z.string().min(1).max(1000).meta(forPerson('a question, or some words')),
    limit: z.number().int().min(1).max(20).optional().describe(`default: ${usualParts}`).meta(forFull),
  }),
  label: ({ words }) => `search documents for ${JSON.stringify(words)}`,
  create:
    ({ searchDocuments }) =>
    async ({ words, limit }, { sandbox, facts, signal }) => {
      if (searchDocuments === undefined) return errorResult('No documents can be searched here.');
      const chosen = (await facts.openChosenFolders?.(signal)) ?? [];
      const found = await searchDocuments(sandbox.files, { words, limit: limit ?? usualParts, chosen }, signal);
      if (!found.ok) return failureResult(found.error);
      const { chunks, documents, left, by } = found.value;
      // Fences look at the paths, and the person sees them.
      const matches = chunks.map(({ path, fromLine }) => ({ path, line: fromLine }));
      const more = left === 0 ? [] : [`(${left} of ${documents} documents are not read yet. Search again for them.)`];
      // What brings a model is for a person to do.
      const isUsual = by.type === 'words' && [noVectorModel, vectorsOff].includes(by.why);
      const how = isUsual ? 'By words alone.' : searchedByText(by);
      if (how !== '') more.push(`(${how})`);
      for (const missing of [unreadText(found.value), cutText(found.value)])
        if (missing !== '') more.push(`(${missing})`);
      const other = by.type === 'meaning' ? '' : ' Try other words for the same thing.';
      if (chunks.length === 0)
        return okResult([`No part of ${documents} documents fits these words.${other}`, ...more].join('\n'), {
          matches,
        });
      const isOutside = ({ path }: FoundPart): boolean => chosen.some(({ name }) => path.startsWith(`${name}/`));
      const parts = chunks.map((chunk) => shown(chunk, words, isOutside(chunk) ? mostOutsideLines : mostShownLines));
      return okResult([...parts, ...more].join('\n\n'), { matches });
    },
});

/** The place of a part, and its lines around those that have the most of the words. */
function shown({ path, fromLine, toLine, page, title, text }: FoundPart, words: string, most: number): string {
  const lines = text.split('\n');
  const from = bestStart(lines, words, most);
  const part = lines.slice(from, from + most);
  const where = page === null ? '' : `, ${partWord(path)} ${page}`;
  const about = title === '' ? '' : ` (${title})`;
  const left =
    part.length < lines.length && most === mostShownLines ? `\n  [read_file has lines ${fromLine}-${toLine}]` : '';
  const body = part.map((line, index) => `  ${fromLine + from + index}: ${line.slice(0, mostLineCharacters)}`);
  return `${path}:${fromLine + from}${where}${about}\n${body.join('\n')}${left}`;
}

/** Shorter words stand in every line, but two letters of Chinese are one. */
function asWritten(word: string): readonly string[] {
  if (/^. .$/u.test(word)) return [word.replace(' ', '')];
  return word.length < 3 || word.length > 40 ? [] : [word];
}

/** The first line of the window that has the most of the words. */
function bestStart(lines: readonly string[], words: string, most: number): number {
  if (lines.length <= most) return 0;
  const wanted = [...new Set(searchWords(words.toLowerCase()).flatMap(asWritten))];
  const scores = lines.map((line) => wanted.filter((word) => line.toLowerCase().includes(word)).length);
  const sums = lines.map((_, at) => scores.slice(at, at + most).reduce((sum, score) => sum + score, 0));
  return Math.min(sums.indexOf(Math.max(...sums)), lines.length - most);
}
