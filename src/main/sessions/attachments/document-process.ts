/**
 * Reads the text of a PDF or of a web page in its own process. An untrusted file may make a parser run for hours or use
 * all memory; the parent then ends this process. The file comes in, and one line of JSON goes out.
 * `document-process MOST_BYTES`: stops reading pages after this much text.
 * `document-process MOST_BYTES URL`: the input is a page from this address, in UTF-8. Nothing in it runs, and nothing
 * is fetched.
 */
import { Defuddle } from 'defuddle/node';
import { parseHTML } from 'linkedom';
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
    // An unreadable page counts as one without text, which is reported.
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

/** The main article of the page as Markdown. If none is found: all text of the page. */
async function pageOf(bytes: Uint8Array, url: string): Promise<object> {
  // Whatever the page contains, nothing here may reach the network.
  Reflect.set(globalThis, 'fetch', () => Promise.reject(new Error('Nothing is fetched here.')));
  const html = withBody(new TextDecoder().decode(bytes));
  const { document } = parseHTML(html);
  const { title, content } = await Defuddle(document, url, { markdown: true, useAsync: false });
  const text = content.trim() === '' ? bodyOf(html) : content;
  const isTitled = title === '' || text.startsWith(`# ${title}`);
  return { pages: 1, texts: [isTitled ? text : `# ${title}\n\n${text}`] };
}

/** HTML allows the body tag to be left out, but this parser needs it. */
function withBody(html: string): string {
  if (/<body[\s>]/iu.test(html)) return html;
  const head = /<\/head\s*>/iu.exec(html) ?? /<html[^<>]*>/iu.exec(html);
  if (head === null) return `<html><body>${html}</body></html>`;
  const at = head.index + head[0].length;
  return `${html.slice(0, at)}<body>${html.slice(at)}`;
}

function bodyOf(html: string): string {
  const { document } = parseHTML(html);
  for (const hidden of document.querySelectorAll('script, style, noscript, template')) hidden.remove();
  const lines = String(document.body.textContent)
    .split('\n')
    .map((line) => line.trim());
  return lines.filter((line) => line !== '').join('\n');
}

async function read(): Promise<Uint8Array> {
  const pieces: Uint8Array[] = [];
  for await (const piece of process.stdin) pieces.push(Buffer.from(piece));
  return new Uint8Array(Buffer.concat(pieces));
}

const broken = { why: 'broken' };

async function serve(): Promise<void> {
  const [most, url] = process.argv.slice(2);
  const bytes = await read();
  const found = url === undefined ? await answer(bytes, Number(most)) : await pageOf(bytes, url).catch(() => broken);
  const said = JSON.stringify(found);
  process.stdout.write(`\n${said}\n`, () => process.exit(0));
}

void serve();
