/** The most tags of a session. */
export const mostTags = 20;

/** A word or a few: letters, digits and some punctuation. */
export const tagPattern = /^[\p{L}\p{N}](?:[\p{L}\p{N}\p{M} ._/+-]{0,38}[\p{L}\p{N}\p{M}+])?$/u;

export function isTag(text: string): boolean {
  return tagPattern.test(text);
}

/** The normalized tag: lower case, without `#`. Null when the text cannot be a tag. */
export function readTag(typed: string): string | null {
  const text = typed.trim().replace(/^#/u, '').replaceAll(/\s+/gu, ' ').trim().toLowerCase().normalize('NFC');
  return isTag(text) ? text : null;
}

/** The message for a text that cannot be a tag. */
export const tagRule = 'A tag has 1 to 40 letters, digits, spaces or . _ / + -';

/** Adds and removes tags. Keeps the order in which they were added. */
export function changeTags(
  tags: readonly string[],
  added: readonly string[],
  removed: readonly string[],
): readonly string[] {
  return [...new Set([...tags, ...added])].filter((tag) => !removed.includes(tag));
}
