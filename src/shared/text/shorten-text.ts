/** How many characters of a text and of a line the folded state keeps. */
export const textLimit = 2048;
export const lineLimit = 200;

/** The beginning of a text, with a mark where it was cut. Never cuts inside a surrogate pair. */
export function shortenText(text: string, length: number): string {
  if (text.length <= length) return text;
  const code = text.charCodeAt(length - 1);
  const end = code >= 0xd800 && code <= 0xdbff ? length - 1 : length;
  return `${text.slice(0, end)}…`;
}

/** The beginning and the end of a text. The end of an output matters most. */
export function shortenOutput(text: string): string {
  if (text.length <= textLimit) return text;
  const half = textLimit / 2;
  const head = shortenText(text, half);
  const tail = text.slice(-half).replace(/^[\udc00-\udfff]/, '');
  return `${head}\n…${tail}`;
}

export function firstLine(text: string): string {
  const end = text.indexOf('\n');
  return shortenText(end < 0 ? text : text.slice(0, end), lineLimit);
}

export function lastItems<T>(items: readonly T[], count: number): readonly T[] {
  return items.length > count ? items.slice(items.length - count) : items;
}

/** The list with its last matching item changed; the same list when nothing matches. */
export function changeLastMatch<T>(
  items: readonly T[],
  fits: (item: T) => boolean,
  change: (item: T) => T,
): readonly T[] {
  for (let index = items.length - 1; index >= 0; index -= 1) {
    const item = items[index];
    if (item === undefined || !fits(item)) continue;
    const copy = [...items];
    copy[index] = change(item);
    return copy;
  }
  return items;
}
