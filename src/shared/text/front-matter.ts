export type ReadOutcome<T> = { readonly ok: true; readonly value: T } | { readonly ok: false; readonly why: string };

/** Reads the `key: value` lines and the text of a definition. `readField` returns null for an unknown key. */
export function readDefinition<T extends object>(
  file: string,
  mostCharacters: number,
  readField: (key: string, value: string) => Partial<T> | null,
): ReadOutcome<Partial<T> & { readonly text: string }> {
  const parts = frontMatter(file);
  if (parts === null) return refusal('It begins with "---", but has no second line of it.');
  const { head, text } = parts;
  if (text === '') return refusal('It has no text.');
  if (text.length > mostCharacters) {
    return refusal(`Its text has ${text.length} characters. The limit is ${mostCharacters}.`);
  }
  let found: Partial<T> = {};
  const seen = new Set<string>();
  for (const line of head.filter((one) => one.trim() !== '')) {
    const { key, value } = keyAndValue(line);
    const field = readField(key, value);
    if (field === null) return refusal(`The line "${line.slice(0, 80)}" is not known.`);
    if (seen.has(key)) return refusal(`"${key}" is there twice.`);
    seen.add(key);
    found = { ...found, ...field };
  }
  return { ok: true, value: { ...found, text } };
}

/**
 * The lines between two lines of `---` at the start of a Markdown file, and the text after them. Null when the second
 * line of `---` is missing.
 */
export function frontMatter(file: string): { readonly head: readonly string[]; readonly text: string } | null {
  const whole = file.replaceAll('\r\n', '\n').trim();
  const lines = whole.split('\n');
  if (lines[0] !== '---') return { head: [], text: whole };
  const end = lines.indexOf('---', 1);
  if (end === -1) return null;
  const text = lines
    .slice(end + 1)
    .join('\n')
    .trim();
  return { head: lines.slice(1, end), text };
}

/** A `key: value` line; both are empty for any other line. */
function keyAndValue(line: string): { readonly key: string; readonly value: string } {
  const colon = line.indexOf(':');
  return { key: line.slice(0, Math.max(0, colon)).trim(), value: line.slice(colon + 1).trim() };
}

export function refusal(why: string): { readonly ok: false; readonly why: string } {
  return { ok: false, why };
}
