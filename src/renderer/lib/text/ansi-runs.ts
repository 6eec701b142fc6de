import { escapeSequences, printable } from '@shared/text/seen-text.ts';
/** A run of terminal text in one style. */
export interface AnsiRun {
  readonly text: string;
  /** 0 to 15 of the terminal's colors; null: the color of the text around it. */
  readonly color: number | null;
  readonly isBold: boolean;
  readonly isFaint: boolean;
}

interface Style {
  readonly color: number | null;
  readonly isBold: boolean;
  readonly isFaint: boolean;
}

const plain: Style = { color: null, isBold: false, isFaint: false };

/**
 * Terminal output as runs of text. Keeps colors and weight. Does not follow cursor movements, but a line that was
 * overwritten (a progress bar) shows only its last content.
 */
export function parseAnsi(output: string): readonly AnsiRun[] {
  const runs: AnsiRun[] = [];
  let style = plain;
  let from = 0;
  const add = (text: string): void => {
    const seen = printable(text);
    if (seen !== '') runs.push({ text: seen, ...style });
  };
  const text = overwritten(output);
  for (const match of text.matchAll(escapeSequences)) {
    add(text.slice(from, match.index));
    from = match.index + match[0].length;
    if (match[2] === 'm') style = applyCodes(style, match[1] ?? '');
  }
  add(text.slice(from));
  return runs;
}

/** A carriage return goes back to the beginning of the line. */
function overwritten(output: string): string {
  if (!output.includes('\r')) return output;
  return output
    .replaceAll('\r\n', '\n')
    .split('\n')
    .map((line) => line.replace(/(?<!\r)\r+$/u, '').replace(/^[^\n]*\r/u, ''))
    .join('\n');
}

function applyCodes(style: Style, text: string): Style {
  const codes = text.split(/[;:]/u).map((code) => Number(code === '' ? 0 : code));
  let next = style;
  for (let index = 0; index < codes.length; index += 1) {
    const code = codes[index] ?? 0;
    if (code === 38 || code === 48) {
      // A color by number or by its parts is used if it is one of the sixteen, otherwise skipped.
      const isByNumber = codes[index + 1] === 5;
      const number = codes[index + 2] ?? 0;
      if (code === 38 && isByNumber && number < 16) next = { ...next, color: number };
      index += isByNumber ? 2 : 4;
    } else next = applyCode(next, code);
  }
  return next;
}

function applyCode(style: Style, code: number): Style {
  if (code === 0) return plain;
  if (code === 1) return { ...style, isBold: true };
  if (code === 2) return { ...style, isFaint: true };
  if (code === 22) return { ...style, isBold: false, isFaint: false };
  if (code === 39) return { ...style, color: null };
  if (code >= 30 && code <= 37) return { ...style, color: code - 30 };
  if (code >= 90 && code <= 97) return { ...style, color: code - 82 };
  return style;
}
