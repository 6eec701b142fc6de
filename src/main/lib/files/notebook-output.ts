import { z } from 'zod';
import { readImageFacts } from './image-facts.ts';

/** A text of a notebook: whole, or as a list of lines. */
export const notebookText = z
  .union([z.string(), z.array(z.string())])
  .transform((text) => (Array.isArray(text) ? text.join('') : text));

/** An output of a cell, as far as it is read. */
export const notebookOutput = z.object({
  output_type: z.string(),
  text: notebookText.optional(),
  data: z.record(z.string(), z.unknown()).optional(),
  ename: z.string().optional(),
  evalue: z.string().optional(),
  traceback: z.array(z.string()).optional(),
});

export type NotebookOutput = z.infer<typeof notebookOutput>;

/** Longer outputs are cut: a notebook may hold megabytes of them, and they can be made again. */
const mostOutputCharacters = 4_000;
/** What people call a widget is data for a program in a page. */
const widgetType = 'application/vnd.jupyter.widget-view+json';

/** An output as text. Of a picture, only what it is. `withTraceback`: an error says where it came from. */
export function notebookOutputText(output: NotebookOutput, withTraceback = false): string {
  const { output_type, text, data = {}, ename, evalue, traceback = [] } = output;
  if (output_type === 'error') {
    const where = withTraceback ? `${traceback.join('\n')}\n`.slice(-mostOutputCharacters) : '';
    const what = `${ename ?? 'Error'}: ${evalue ?? ''}`;
    return withTraceback && where.includes(what) ? where.trim() : cut(`${where}${what}`);
  }
  if (text !== undefined) return cut(text);
  const plain = notebookText.safeParse(data['text/plain']);
  const pictures = Object.entries(data).filter(([type]) => type.startsWith('image/'));
  const shown = [
    ...pictures.map(([type, value]) => `(A picture, ${type}${pictureSize(value)}.)`),
    ...(widgetType in data ? ['(A widget, which works only in Jupyter.)'] : []),
    ...(plain.success ? [cut(plain.data)] : []),
  ];
  return shown.length > 0 ? shown.join('\n') : otherText(data);
}

/** The bytes of a picture in a notebook. An SVG stands there as text. */
export function notebookPicture(type: string, value: unknown): Uint8Array | null {
  const text = notebookText.safeParse(value);
  if (!text.success) return null;
  return Buffer.from(text.data, type === 'image/svg+xml' ? 'utf8' : 'base64');
}

function pictureSize(value: unknown): string {
  const text = notebookText.safeParse(value);
  // The size stands at the beginning of most pictures.
  const facts = text.success ? readImageFacts(Buffer.from(text.data.slice(0, 100_000), 'base64')) : null;
  return facts === null ? '' : `, ${facts.width} × ${facts.height}`;
}

/** An output with neither a plain text nor a picture, such as one that only a web page shows. */
function otherText(data: Readonly<Record<string, unknown>>): string {
  for (const type of ['text/markdown', 'text/latex', 'text/html']) {
    const text = notebookText.safeParse(data[type]);
    if (text.success) return cut(type === 'text/html' ? text.data.replaceAll(/<[^<>]*>/gu, ' ').trim() : text.data);
  }
  const types = Object.keys(data);
  return types.length === 0 ? '' : `(An output, ${types.join(', ').slice(0, 200)}.)`;
}

function cut(text: string): string {
  const whole = text.trimEnd();
  if (whole.length <= mostOutputCharacters) return whole;
  return `${whole.slice(0, mostOutputCharacters)}\n… (${whole.length - mostOutputCharacters} more characters of this output)`;
}
