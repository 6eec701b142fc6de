import { durationText } from '@shared/text/duration-text.ts';
import { randomUUID } from 'node:crypto';
import { escapedJson, printable, escapeForTerminal } from '@shared/text/seen-text.ts';
import type { Colors as PlainColors } from 'picocolors/types';
import picocolors from 'picocolors';
import { charactersOf, padLeft, padRight, widest } from './columns.ts';

/** Where a command writes: results on `out`, all else on `err`. Only `colors` can add control codes to the output. */
export interface Terminal {
  readonly out: (text: string) => void;
  readonly err: (text: string) => void;
  /** The text that `err` would write, for a prompt that the reader of the answer writes itself. */
  readonly shown: (text: string) => string;
  /** Clears the line of the cursor on `err`, and this many rows above it. */
  readonly clear: (rowsAbove?: number) => void;
  /** Somebody watches `err`. */
  readonly isLive: boolean;
  /** Somebody can answer on stdin. */
  readonly isInteractive: boolean;
  /** The user has begun to type where the status would be. Missing if nobody can type. */
  readonly isTyping?: () => boolean;
  readonly columns: number;
  readonly colors: Colors;
}

type Colors = Pick<PlainColors, 'bold' | 'dim' | 'red' | 'green' | 'yellow' | 'magenta' | 'cyan'>;

export function processTerminal(): Terminal {
  const isLive = process.stderr.isTTY === true;
  const noColor = process.env.NO_COLOR !== undefined && process.env.NO_COLOR !== '';
  const write = {
    out: (text: string) => void process.stdout.write(text),
    err: (text: string) => void process.stderr.write(text),
  };
  return {
    ...safeWriting(write, isLive && !noColor),
    isLive,
    isInteractive: process.stdin.isTTY === true && isLive,
    // Some terminals report 0, which means unknown.
    columns: process.stderr.columns || 100,
  };
}

type Writing = Pick<Terminal, 'out' | 'err' | 'shown' | 'clear' | 'colors'>;

/**
 * The last check of all output. Only Dewpoint's own colors reach the terminal as control codes, because they carry a
 * random mark that no other text can know. Everything else is escaped here, even if it was not escaped before.
 */
export function safeWriting({ out, err }: Pick<Terminal, 'out' | 'err'>, hasColors: boolean): Writing {
  const plain = picocolors.createColors(hasColors);
  const mark = `\u001B${randomUUID()}`;
  const ours = new RegExp(`(${mark}\\[\\d{1,2}m)`, 'u');
  const shown = (text: string): string =>
    text
      .split(ours)
      .map((part, index) => (index % 2 === 0 ? escapeForTerminal(part) : part.replace(mark, '\u001B')))
      .join('');
  const marked = (color: (text: string) => string) => {
    const [open = '', close = ''] = color('|').replaceAll('\u001B', mark).split('|');
    return (text: string | number | null | undefined): string => {
      const inner = String(text);
      // A color that ends inside of the text would also end this one, so this one starts again.
      return `${open}${close === '' ? inner : inner.replaceAll(close, `${close}${open}`)}${close}`;
    };
  };
  return {
    out: (text) => out(shown(text)),
    err: (text) => err(shown(text)),
    shown,
    clear: (rowsAbove = 0) => err(`\r${rowsAbove > 0 ? `\u001B[${rowsAbove}A` : ''}\u001B[J`),
    colors: {
      bold: marked(plain.bold),
      dim: marked(plain.dim),
      red: marked(plain.red),
      green: marked(plain.green),
      yellow: marked(plain.yellow),
      magenta: marked(plain.magenta),
      cyan: marked(plain.cyan),
    },
  };
}

/** A value as JSON on one line, without line breaks or control codes. */
export function jsonLine(value: unknown): string {
  return `${escapedJson(JSON.stringify(value))}\n`;
}

/** Prose after the beginning of a Dewpoint line. Further lines are indented, so that they cannot pass for its own. */
export function indentText(text: string): string {
  return printable(text).trimEnd().replaceAll('\n', '\n        ');
}

/** A single line of at most `width` terminal columns. */
export function oneLine(text: string, width: number): string {
  const line = printable(text).replace(/\s+/gu, ' ').trim();
  let used = 0;
  let fitting = '';
  let read = '';
  for (const [character, columns] of charactersOf(line)) {
    used += columns;
    if (used > width) return `${fitting || read || character}…`;
    read += character;
    // The ellipsis takes one column.
    if (used < width) fitting = read;
  }
  return line;
}

export const seconds = durationText;

/** A date and time in the local time zone, such as `2026-11-22 14:05`. */
export function dateAndTime(at: number): string {
  const date = new Date(at);
  const two = (part: number): string => String(part).padStart(2, '0');
  const day = `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
  return `${day} ${two(date.getHours())}:${two(date.getMinutes())}`;
}

/** A number with its noun: `1 step`, `2 steps`. */
export function pluralize(count: number, word: string): string {
  return `${count} ${word}${count === 1 ? '' : 's'}`;
}

/** Rows of cells as lines: the first column left-aligned, the others right-aligned, each as wide as its widest cell. */
export function table(rows: readonly (readonly string[])[]): readonly string[] {
  const widths = (rows[0] ?? []).map((_, column) => widest(rows.map((row) => row[column] ?? '')));
  return rows.map((row) =>
    row
      .map((cell, column) => (column === 0 ? padRight : padLeft)(cell, widths[column] ?? 0))
      .join('  ')
      .trimEnd(),
  );
}
