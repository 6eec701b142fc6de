/** `parseHTTPDate` and `parse_http_date` → `parse`, `http`, `date`. In lower case, in order, with repetitions. */
export function partsOfName(name: string): readonly string[] {
  const parts = name.split(/[^\p{L}\p{N}]+|(?<=[\p{Ll}\p{N}])(?=\p{Lu})|(?<=\p{Lu})(?=\p{Lu}\p{Ll})/u);
  return parts.filter((part) => part !== '').map((part) => part.toLowerCase());
}

/** Whole names in a text, as they are written. */
export function namesIn(text: string): ReadonlySet<string> {
  return new Set(text.match(/[\p{L}_$][\p{L}\p{N}_$]*/gu));
}

/** One form for `item` and `items`, `parse`, `parses`, `parsed` and `parsing`. Rough, and the same on both sides. */
export function stemOf(word: string): string {
  if (word.length < 5) return word.length === 4 && word.endsWith('s') ? word.slice(0, -1) : word;
  return word.replace(/(?:ing|ed|es|s|e)$/u, '');
}
