/** So many a session has at most. */
export const mostTags = 20;

/** A word or a few: letters, digits and what stands in names. */
export const tagPattern = /^[\p{L}\p{N}](?:[\p{L}\p{N}\p{M} ._/+-]{0,38}[\p{L}\p{N}\p{M}+])?$/u;

export function isTag(text: string): boolean {
  return tagPattern.test(text);
}

/** A tag as it is kept, whatever its case and with or without a `#`; null: it cannot be one. */
export function readTag(typed: string): string | null {
  const text = typed.trim().replace(/^#/u, '').replaceAll(/\s+/gu, ' ').trim().toLowerCase().normalize('NFC');
  return isTag(text) ? text : null;
}

/** What is said where a text cannot be a tag. */
export const tagRule = 'A tag has 1 to 40 letters, digits, spaces or . _ / + -';

/** The tags after some were added and some taken away, in the order in which they came. */
export function changeTags(
  tags: readonly string[],
  added: readonly string[],
  removed: readonly string[],
): readonly string[] {
  return [...new Set([...tags, ...added])].filter((tag) => !removed.includes(tag));
}
