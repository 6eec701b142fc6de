import { z } from 'zod';
import { linesUpTo } from './parsed-document.ts';
import type { ParsedDocument } from './parsed-document.ts';

const textSchema = z
  .union([z.string(), z.array(z.string())])
  .transform((text) => (Array.isArray(text) ? text.join('') : text));
const outputSchema = z.object({
  output_type: z.string(),
  text: textSchema.optional(),
  data: z.record(z.string(), z.unknown()).optional(),
  ename: z.string().optional(),
  evalue: z.string().optional(),
});
const notebookSchema = z.object({
  cells: z.array(
    z.object({
      cell_type: z.string(),
      source: textSchema,
      outputs: z.array(outputSchema).optional(),
    }),
  ),
});

/** Longer outputs are cut: a notebook may hold megabytes of them, and they can be made again. */
const mostOutputCharacters = 4_000;

/** The cells of a Jupyter notebook, each with its outputs as text. Pictures are only named. */
export function notebookTexts(bytes: Uint8Array, mostBytes: number): ParsedDocument {
  const { cells } = notebookSchema.parse(JSON.parse(new TextDecoder().decode(bytes)));
  const { add, lines } = linesUpTo(mostBytes);
  for (const { source, outputs = [] } of cells) {
    const said = outputs.map((output) => outputText(output)).filter((text) => text !== '');
    const text = [source, ...said.map((one) => `[Output]\n${one}`)].join('\n');
    if (!add(text)) break;
  }
  // A notebook without cells has one empty part.
  if (cells.length === 0) return { pages: 1, texts: [''], names: ['none'] };
  return { pages: cells.length, texts: lines, names: cells.slice(0, lines.length).map(({ cell_type }) => cell_type) };
}

function outputText({ output_type, text, data = {}, ename, evalue }: z.infer<typeof outputSchema>): string {
  if (output_type === 'error') return cut(`${ename ?? 'Error'}: ${evalue ?? ''}`);
  if (text !== undefined) return cut(text);
  const plain = textSchema.safeParse(data['text/plain']);
  const pictures = Object.keys(data).filter((type) => type.startsWith('image/'));
  return [...pictures.map((type) => `(A picture, ${type}.)`), ...(plain.success ? [cut(plain.data)] : [])].join('\n');
}

function cut(text: string): string {
  const whole = text.trimEnd();
  if (whole.length <= mostOutputCharacters) return whole;
  return `${whole.slice(0, mostOutputCharacters)}\n… (${whole.length - mostOutputCharacters} more characters of this output)`;
}
