const ELLIPSIS = '…';

/** Upper-cases the first letter. */
export function capitalize(text) {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/**
 * Shortens a title for a card. Text that fits is returned as it is; longer text
 * is cut, loses the white space at its end, and gets an ellipsis.
 */
export function truncate(text, limit) {
  if (text.length <= limit) return text;
  return text.slice(0, limit - ELLIPSIS.length).trimEnd() + ELLIPSIS;
}

/** Initials of a name, at most two. */
export function initials(name) {
  const words = name.trim().split(/\s+/);
  return words
    .slice(0, 2)
    .map((word) => word.charAt(0).toUpperCase())
    .join('');
}
