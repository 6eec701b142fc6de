/**
 * A sequence that a terminal does not show (ECMA-48): a control sequence such as a color, a string such as a link or a
 * title with its end, or a single escape. A string ends at the next escape or line at the latest, so no part of a text
 * is read twice.
 */
const sequence =
  // oxlint-disable-next-line no-control-regex -- these are what must go
  /(?:\u001b\[|\u009b)[0-?]*[ -/]*[@-~]?|\u001b[\]PX^_][^\u0007\u001b\u009c\n]*(?:\u0007|\u001b\\|\u009c)|\u001b[ -/]*[0-~]?/gu;

/**
 * The text as a terminal shows it, without colors, links and the like. A string without an end loses its start only.
 * The function of `node:util` takes time by the square of the length for such strings, seconds for 100 kB.
 */
export function withoutControlSequences(text: string): string {
  return text.replaceAll(sequence, '');
}
