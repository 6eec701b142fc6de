import { getDocumentProxy } from 'unpdf';
import type { ParsedDocument } from './parsed-document.ts';

type PdfDocument = Awaited<ReturnType<typeof getDocumentProxy>>;

/** Counted as `read-document.ts` does, so that a PDF ends early before its reader is ended. */
function spentMs(): number {
  if (process.platform !== 'linux') return performance.now();
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

interface PdfLimits {
  readonly mostBytes: number;
  /** The time after which no more pages are read. Those that were read are better than none. */
  readonly mostMs: number;
}

/** The text of a PDF by page. Its scripts and forms are not run. */
export async function pdfTexts(bytes: Uint8Array, { mostBytes, mostMs }: PdfLimits): Promise<ParsedDocument> {
  let document: PdfDocument;
  try {
    document = await getDocumentProxy(bytes, { verbosity: 0, disableFontFace: true });
  } catch (error) {
    return { why: error instanceof Error && error.name === 'PasswordException' ? 'encrypted' : 'broken' };
  }
  const texts: string[] = [];
  let size = 0;
  const isLate = (): boolean => texts.length > 0 && spentMs() > mostMs;
  for (let number = 1; number <= document.numPages && size <= mostBytes && !isLate(); number += 1) {
    // An unreadable page counts as one without text, which is reported.
    const text = await textOf(document, number).catch(() => '');
    size += Buffer.byteLength(text);
    texts.push(text);
  }
  return { pages: document.numPages, texts };
}

async function textOf(document: PdfDocument, number: number): Promise<string> {
  const page = await document.getPage(number);
  const { items } = await page.getTextContent();
  page.cleanup();
  return items.map((item) => ('str' in item ? `${item.str}${item.hasEOL ? '\n' : ''}` : '')).join('');
}

/** The main article of a web page as Markdown. If none is found: all text of the page. A PDF needs none of its libraries. */
export async function pageText(bytes: Uint8Array, url: string): Promise<ParsedDocument> {
  const [{ Defuddle }, { parseHTML }] = await Promise.all([import('defuddle/node'), import('linkedom')]);
  const html = withBody(new TextDecoder().decode(bytes));
  const { document } = parseHTML(html);
  const { title, content } = await Defuddle(document, url, { markdown: true, useAsync: false });
  const text = content.trim() === '' ? bodyOf(parseHTML(html).document) : content;
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

function bodyOf(document: ReturnType<typeof import('linkedom').parseHTML>['document']): string {
  for (const hidden of document.querySelectorAll('script, style, noscript, template')) hidden.remove();
  const lines = String(document.body.textContent)
    .split('\n')
    .map((line) => line.trim());
  return lines.filter((line) => line !== '').join('\n');
}
