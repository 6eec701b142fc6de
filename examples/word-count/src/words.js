/** Words are compared in lower case and without the punctuation around them. */
const clean = (word) => word.toLowerCase().replace(/^[^\p{L}\p{N}]+|[^\p{L}\p{N}]+$/gu, '');

/** The words of a text, in order. White space of any kind and length separates them. */
export function wordsOf(text) {
  return text.split(' ').map(clean);
}
