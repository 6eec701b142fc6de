/** What Dewpoint says itself, in a block of its own: a model must not take it for words of the person. */
const opened = '<dewpoint>\n';
const closed = '\n</dewpoint>';

export function factsBlock(notes: readonly string[]): string {
  return `${opened}${notes.join('\n\n')}${closed}`;
}

/** The notes of a block again; a text that is none stays as it is. */
export function withoutBlock(text: string): string {
  return text.startsWith(opened) && text.endsWith(closed) ? text.slice(opened.length, -closed.length) : text;
}

/** What a program printed: data, whatever it says. */
export function outputBlock(text: string): string {
  return `<output>\n${inert(text)}\n</output>`;
}

/** A text from elsewhere cannot end the block that it stands in, nor begin one. */
export function inert(text: string): string {
  return text.replaceAll(/<(?=\/?(?:dewpoint|output)\b)/giu, '\u2039');
}
