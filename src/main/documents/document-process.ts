/**
 * Reads the text of a document in its own process. An untrusted file may make a parser run for hours or use all memory;
 * the parent then ends this process. The file comes in, and one line of JSON goes out.
 * `document-process KIND MOST_BYTES MOST_MS [URL]`: stops reading after this much text, and a PDF after this much time. A
 * web page comes from the address, in UTF-8. Nothing in a file runs, and nothing is fetched.
 * `document-process draw PAGE`: draws a page of a PDF, and the line has the PNG.
 * `document-process index FILE DAY`: keeps and searches the texts of documents in this index (`search/serve-index.ts`).
 */
import type { DocumentKind } from '@shared/documents/document-text.ts';
import { refuseConnections } from '../lib/net/no-connections.ts';
import { endWithParent } from '../lib/programs/end-with-parent.ts';
import type { ParsedDocument } from './parsers/parsed-document.ts';
import { checkZip, failedWith } from './parsers/parsed-document.ts';
import { serveIndex } from './search/serve-index.ts';

interface Asked {
  readonly mostBytes: number;
  readonly mostMs: number;
  readonly url: string;
}

type Parse = (bytes: Uint8Array, asked: Asked) => Promise<ParsedDocument>;

/** Each loads its own libraries alone. All of them take 90 MB, and an index needs none. */
const parsers: Readonly<Record<DocumentKind, Parse>> = {
  pdf: async (bytes, limits) => (await import('./parsers/page-texts.ts')).pdfTexts(bytes, limits),
  word: async (bytes) => {
    await checkZip(bytes);
    return (await import('./parsers/word-text.ts')).wordText(bytes);
  },
  excel: async (bytes, { mostBytes }) => {
    await checkZip(bytes);
    const { withFormulaTexts } = await import('./parsers/uncomputed-formulas.ts');
    return (await import('./parsers/sheet-texts.ts')).sheetTexts(withFormulaTexts(bytes), mostBytes);
  },
  csv: async (bytes, { mostBytes }) => (await import('./parsers/sheet-texts.ts')).csvText(bytes, mostBytes),
  notebook: async (bytes, { mostBytes }) => (await import('./parsers/sheet-texts.ts')).notebookTexts(bytes, mostBytes),
  page: async (bytes, { url }) => (await import('./parsers/page-texts.ts')).pageText(bytes, url),
};

async function readInput(): Promise<Uint8Array> {
  const pieces: Uint8Array[] = [];
  for await (const piece of process.stdin) pieces.push(Buffer.from(piece));
  return new Uint8Array(Buffer.concat(pieces));
}

async function serve(): Promise<void> {
  await endWithParent();
  const [kind, most = '', more = '', url = ''] = process.argv.slice(2);
  if (kind === 'index')
    return serveIndex(
      { path: most, day: Number(more) },
      process.stdin,
      (line) => void process.stdout.write(`${line}\n`),
    );
  // Whatever the file contains, nothing here may reach the network.
  Reflect.set(globalThis, 'fetch', () => Promise.reject(new Error('Nothing is fetched here.')));
  if (kind === 'draw') {
    // Only this needs the library that draws.
    const { drawnPage } = await import('./parsers/draw-page.ts');
    return answer(await drawnPage(await readInput(), Number(most)).catch(failedWith));
  }
  const parse = Object.entries(parsers).find(([name]) => name === kind)?.[1];
  const bytes = await readInput();
  const asked = { mostBytes: Number(most), mostMs: Number(more), url };
  answer(await (parse === undefined ? { why: 'broken' } : parse(bytes, asked).catch(failedWith)));
}

function answer(found: object): void {
  process.stdout.write(`\n${JSON.stringify(found)}\n`, () => process.exit(0));
}

refuseConnections();
void serve();
