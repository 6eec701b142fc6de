/** Marks what Dewpoint says itself, so that a model does not take it for the user's words. */
const opened = '<dewpoint>\n';
const closed = '\n</dewpoint>';

/** Told to a large model with a question, whose tools are those of any other turn. */
export const askNote =
  'The user asks a question: nothing may be changed here until they ask for a change, and an edit is refused.';

export function factsBlock(notes: readonly string[]): string {
  return `${opened}${notes.join('\n\n')}${closed}`;
}

/** The notes inside a block; any other text is returned unchanged. */
export function withoutBlock(text: string): string {
  return text.startsWith(opened) && text.endsWith(closed) ? text.slice(opened.length, -closed.length) : text;
}

/** Marks the output of a program as data, whatever it says. */
export function outputBlock(text: string): string {
  return `<output>\n${inert(text)}\n</output>`;
}

/** Prevents a text from outside from ending the block it is in, or starting one. */
export function inert(text: string): string {
  return text.replaceAll(/<(?=\/?(?:dewpoint|output)\b)/giu, '\u2039');
}
