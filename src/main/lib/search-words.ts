/** Chinese and Japanese have no blanks between words. Without some, a whole sentence would be one word. */
const unspaced = /(?=\p{L})[\p{scx=Han}\p{scx=Hira}\p{scx=Kana}]/gu;
const unspacedRuns = /(?:(?=\p{L})[\p{scx=Han}\p{scx=Hira}\p{scx=Kana}])+/gu;

/** The text as it is indexed: each letter of such a script is a word. */
export function wordsApart(text: string): string {
  return text.replaceAll(unspaced, ' $& ');
}

/** The words of a search. In such a script two letters that follow each other are looked for together. */
export function searchWords(text: string): readonly string[] {
  const pairs = [...text.matchAll(unspacedRuns)].flatMap(([run]) => {
    const letters = Array.from(run);
    return letters.length === 1 ? letters : letters.slice(1).map((letter, at) => `${letters[at] ?? ''} ${letter}`);
  });
  return [...(text.replaceAll(unspaced, ' ').match(/[\p{L}\p{N}\p{M}]+/gu) ?? []), ...pairs];
}
