import { splitEmptyLines } from '@shared/empty-lines.ts';

/** A text to be judged: what is invisible, moves the cursor or turns the direction of writing shows as its number. */
export function seenText(text: string): string {
  const parts = splitEmptyLines(text);
  return parts.map((part) => (typeof part === 'number' ? `\n<${part} empty lines>\n` : seenPart(part))).join('');
}

function seenPart(text: string): string {
  return text.replaceAll(/[^\P{C}\n]|\p{Z}(?<! )|\u00AD|[\u115F\u1160\u3164\uFFA0]/gu, (character) => {
    return `<U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}>`;
  });
}

/** A name, of a file for one: on one line whatever stands in it, so that no part of it can pass for a line of ours. */
export function seenName(name: string): string {
  return seenText(name).replaceAll('\n', '<U+000A>');
}

/** A line of a change, with its tabs: it is read, and not judged character by character. */
export function seenLine(line: string): string {
  return line.split('\t').map(seenPart).join('\t');
}

/** A text of several lines, each marked as one of it, so that none can pass for a line of ours. Tabs are blanks. */
export function seenLines(text: string, mark = '  | '): string {
  const lines = text.replaceAll('\t', '    ').replace(/\n$/u, '').split('\n');
  return lines.map((line) => `${mark}${seenText(line)}`).join('\n');
}
