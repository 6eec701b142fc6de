/**
 * The top-level fields of the YAML between the `---` lines of a Markdown file, as texts. Lenient, because such files are
 * written by hand: an unquoted colon in a value is part of it. Lists become words with a space between. Fields that hold
 * fields of their own are left out.
 */
export function readFrontFields(head: readonly string[]): ReadonlyMap<string, string> {
  const fields = new Map<string, string>();
  let at = 0;
  while (at < head.length) {
    const line = head[at] ?? '';
    const colon = /:(?=\s|$)/u.exec(line)?.index ?? -1;
    const key = line.slice(0, Math.max(0, colon)).trimEnd();
    at += 1;
    if (!/^\p{L}[\p{L}\p{N}_-]*$/u.test(key)) continue;
    const from = at;
    while (at < head.length && /^(?:\s|$|-\s)/u.test(head[at] ?? '')) at += 1;
    const value = fieldText(line.slice(colon + 1).trim(), head.slice(from, at));
    if (value !== null && !fields.has(key)) fields.set(key, value);
  }
  return fields;
}

/** `below`: the indented lines after the field. Null: it holds fields of its own. */
function fieldText(first: string, below: readonly string[]): string | null {
  const block = /^([>|])[+-]?\d?[+-]?$/u.exec(first);
  const lines = below.map((line) => line.trim());
  if (block !== null) return block[1] === '|' ? lines.join('\n').trim() : folded(lines);
  const words = lines.filter((line) => line !== '' && !line.startsWith('#'));
  if (first !== '' && !first.startsWith('#')) return plainText(folded([first, ...words]));
  if (words.every((line) => line.startsWith('- ')))
    return words.map((line) => plainText(line.slice(2).trim())).join(' ');
  return words.some((line) => /^[\p{L}\p{N}_-]+\s*:/u.test(line)) ? null : plainText(folded(words));
}

/** Lines of one paragraph become one line; an empty line ends a paragraph. */
function folded(lines: readonly string[]): string {
  return lines
    .join('\n')
    .split(/\n{2,}/u)
    .map((paragraph) => paragraph.replaceAll('\n', ' ').trim())
    .join('\n')
    .trim();
}

function plainText(text: string): string {
  const list = /^\[(.*)\]$/u.exec(text)?.[1];
  if (list === undefined) return scalarText(text);
  return list
    .split(',')
    .map((one) => scalarText(one.trim()))
    .join(' ');
}

function scalarText(text: string): string {
  const single = /^'((?:[^']|'')*)'\s*(?:#.*)?$/u.exec(text)?.[1];
  if (single !== undefined) return single.replaceAll("''", "'");
  const double = /^"((?:[^"\\]|\\.)*)"\s*(?:#.*)?$/u.exec(text)?.[1];
  if (double !== undefined) return double.replaceAll(/\\(.)/gu, (_, one: string) => ({ n: '\n', t: '\t' })[one] ?? one);
  const comment = text.search(/\s#/u);
  return (comment < 0 ? text : text.slice(0, comment)).trim();
}
