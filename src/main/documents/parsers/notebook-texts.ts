import { z } from 'zod';
import { notebookOutput, notebookOutputText, notebookText } from '../../lib/files/notebook-output.ts';
import { linesUpTo } from './parsed-document.ts';
import type { ParsedDocument } from './parsed-document.ts';

const notebookSchema = z.object({
  cells: z.array(
    z.object({
      cell_type: z.string(),
      source: notebookText,
      outputs: z.array(notebookOutput).optional(),
    }),
  ),
});

/** The cells of a Jupyter notebook, each with its outputs as text. Pictures are only named. */
export function notebookTexts(bytes: Uint8Array, mostBytes: number): ParsedDocument {
  const { cells } = notebookSchema.parse(JSON.parse(new TextDecoder().decode(bytes)));
  const { add, lines } = linesUpTo(mostBytes);
  for (const { source, outputs = [] } of cells) {
    const said = outputs.map((output) => notebookOutputText(output)).filter((text) => text !== '');
    const text = [source, ...said.map((one) => `[Output]\n${one}`)].join('\n');
    if (!add(text)) break;
  }
  // A notebook without cells has one empty part.
  if (cells.length === 0) return { pages: 1, texts: [''], names: ['none'] };
  return { pages: cells.length, texts: lines, names: cells.slice(0, lines.length).map(({ cell_type }) => cell_type) };
}
