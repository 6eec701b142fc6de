/**
 * Reads the text of a PDF, in a process of its own: a file from anywhere may make a reader run for hours or take all
 * memory, and whoever started this ends it then. The file comes in, one line of JSON goes out.
 * `document-process MOST_BYTES`: no more pages are read than this much text holds.
 */
import { getDocumentProxy } from 'unpdf';

type Document = Awaited<ReturnType<typeof getDocumentProxy>>;

async function answer(bytes: Uint8Array, mostBytes: number): Promise<object> {
  let document: Document;
  try {
    document = await getDocumentProxy(bytes, { verbosity: 0, disableFontFace: true });
  } catch (error) {
    return { why: error instanceof Error && error.name === 'PasswordException' ? 'encrypted' : 'broken' };
  }
  const texts: string[] = [];
  let size = 0;
  for (let number = 1; number <= document.numPages && size <= mostBytes; number += 1) {
    // A page that cannot be read counts as one without text, which is said.
    const text = await textOf(document, number).catch(() => '');
    size += Buffer.byteLength(text);
    texts.push(text);
  }
  return { pages: document.numPages, texts };
}

async function textOf(document: Document, number: number): Promise<string> {
  const page = await document.getPage(number);
  const { items } = await page.getTextContent();
  page.cleanup();
  return items.map((item) => ('str' in item ? `${item.str}${item.hasEOL ? '\n' : ''}` : '')).join('');
}

async function read(): Promise<Uint8Array> {
  const pieces: Uint8Array[] = [];
  for await (const piece of process.stdin) pieces.push(Buffer.from(piece));
  return new Uint8Array(Buffer.concat(pieces));
}

async function serve(): Promise<void> {
  const said = JSON.stringify(await answer(await read(), Number(process.argv[2])));
  process.stdout.write(`\n${said}\n`, () => process.exit(0));
}

void serve();
