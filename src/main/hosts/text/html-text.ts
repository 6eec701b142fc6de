/** Elements whose content people do not read. */
const unread = new Set(['script', 'style', 'template', 'noscript', 'head', 'title', 'metadata', 'defs']);
const block =
  /^\/?(?:address|article|aside|blockquote|br|dd|div|dl|dt|figcaption|figure|footer|form|h[1-6]|header|hr|li|main|nav|ol|p|pre|section|table|tr|ul|text)$/u;
const named: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'", nbsp: ' ' };

/** The text of HTML or SVG, one line per block. Linear: reads the text only once, whatever it contains. */
export function htmlText(html: string): string {
  const pieces: string[] = [];
  /** Skipping ends with this tag. */
  let until = '';
  let at = 0;
  while (at < html.length) {
    const open = html.indexOf('<', at);
    const end = open === -1 ? html.length : open;
    if (until === '') pieces.push(html.slice(at, end));
    if (open === -1) break;
    const isComment = html.startsWith('<!--', open);
    const close = html.indexOf(isComment ? '-->' : '>', open);
    if (close === -1) break;
    at = close + (isComment ? 3 : 1);
    const tag = isComment ? '' : (/^<(\/?[a-z][a-z0-9]*)/iu.exec(html.slice(open, open + 40))?.[1] ?? '').toLowerCase();
    if (until !== '') {
      if (tag === `/${until}`) until = '';
    } else if (unread.has(tag) && html[close - 1] !== '/') until = tag;
    else if (tag === 'td' || tag === 'th') pieces.push('  ');
    else if (block.test(tag)) pieces.push('\n');
  }
  return decoded(pieces.join(''))
    .split('\n')
    .map((line) => line.replaceAll(/[^\S\n]+/gu, ' ').trim())
    .filter((line) => line !== '')
    .join('\n');
}

function decoded(text: string): string {
  return text.replaceAll(
    /&(?:#(\d{1,7})|#x([\da-f]{1,6})|([a-z]{2,6}));/giu,
    (whole, ...found: (string | undefined)[]) => {
      const [decimal, hex, name] = found;
      if (name !== undefined) return named[name] ?? whole;
      const code = decimal === undefined ? Number.parseInt(hex ?? '', 16) : Number(decimal);
      return code > 0 && code <= 0x10ffff ? String.fromCodePoint(code) : whole;
    },
  );
}
