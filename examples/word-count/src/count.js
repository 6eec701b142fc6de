import { wordsOf } from './words.js';

/** How many words a text has. */
export function countWords(text) {
  return wordsOf(text).length;
}

/** The `limit` most frequent words as [word, count], the most frequent first, equal ones by name. */
export function topWords(text, limit = 5) {
  const counts = new Map();
  for (const word of wordsOf(text)) {
    counts.set(word, (counts.get(word) ?? 0) + 1);
  }
  return [...counts]
    .sort(([wordA, countA], [wordB, countB]) => countB - countA || wordA.localeCompare(wordB))
    .slice(0, limit);
}
