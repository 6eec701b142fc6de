import type { Colors } from 'picocolors/types';
import picocolors from 'picocolors';

/** Where a command writes: results on `out`, everything for people on `err`. */
export interface Terminal {
  readonly out: (text: string) => void;
  readonly err: (text: string) => void;
  /** A person is watching `err`. */
  readonly isLive: boolean;
  /** A person can answer on stdin. */
  readonly isInteractive: boolean;
  /** Somebody has begun a line where the status would stand. Missing where nobody can. */
  readonly isTyping?: () => boolean;
  readonly columns: number;
  readonly colors: Colors;
}

export function processTerminal(): Terminal {
  const isLive = process.stderr.isTTY === true;
  const noColor = process.env.NO_COLOR !== undefined && process.env.NO_COLOR !== '';
  return {
    out: (text) => void process.stdout.write(text),
    err: (text) => void process.stderr.write(text),
    isLive,
    isInteractive: process.stdin.isTTY === true && isLive,
    // A terminal may say 0: it does not know.
    columns: process.stderr.columns || 100,
    colors: picocolors.createColors(isLive && !noColor),
  };
}

/**
 * Text from a model or a command made harmless for a terminal: no escape sequences, no control characters but line
 * breaks and tabs, no bidirectional overrides.
 */
export function printable(text: string): string {
  return (
    text
      // eslint-disable-next-line no-control-regex -- these are what must go
      .replace(/\u001B(?:\[[0-?]*[ -/]*[@-~]|\][^\u0007\u001B]*(?:\u0007|\u001B\\)?|[@-Z\\-_])/gu, '')
      // eslint-disable-next-line no-control-regex -- these are what must go
      .replace(/[\u0000-\u0008\u000B-\u001F\u007F-\u009F\u202A-\u202E\u2066-\u2069]/gu, '')
  );
}

/**
 * A value as JSON on one line, also for readers that end lines at U+2028 and the like, and with nothing in it that a
 * terminal would obey.
 */
export function jsonLine(value: unknown): string {
  const escape = (character: string): string => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
  return `${JSON.stringify(value).replace(/[\u007F-\u009F\u2028-\u202E\u2066-\u2069]/gu, escape)}\n`;
}

/** One line that is at most `width` columns of a terminal wide. */
export function oneLine(text: string, width: number): string {
  const line = printable(text).replace(/\s+/gu, ' ').trim();
  const characters = Array.from(line);
  let used = 0;
  let fitting = 0;
  for (const [index, character] of characters.entries()) {
    used += columnsOf(character);
    if (used > width) return `${characters.slice(0, Math.max(1, fitting)).join('')}…`;
    // The dots take a column.
    if (used < width) fitting = index + 1;
  }
  return line;
}

/** Marks stand over the character before them; those of East Asia and pictures are two wide. */
function columnsOf(character: string): number {
  if (/\p{Mark}|\p{Default_Ignorable_Code_Point}/u.test(character)) return 0;
  return wide.test(character) ? 2 : 1;
}

const wide =
  /[\u1100-\u115F\u2E80-\u303E\u3041-\uA4CF\uA960-\uA97F\uAC00-\uD7A3\uF900-\uFAFF\uFE30-\uFE6F\uFF00-\uFF60\uFFE0-\uFFE6\u{1F300}-\u{1FAFF}\u{20000}-\u{3FFFD}]/u;

export function seconds(milliseconds: number): string {
  return milliseconds < 9_950 ? `${(milliseconds / 1000).toFixed(1)} s` : `${Math.round(milliseconds / 1000)} s`;
}

export function bytes(count: number): string {
  if (count < 1024) return `${count} B`;
  if (count < 1024 * 1024) return `${(count / 1024).toFixed(1)} KiB`;
  return count < 1024 ** 3 ? `${(count / 1024 ** 2).toFixed(1)} MiB` : `${(count / 1024 ** 3).toFixed(2)} GiB`;
}

/** By the clock of the person: `2026-11-22 14:05`. */
export function dateAndTime(at: number): string {
  const date = new Date(at);
  const two = (part: number): string => String(part).padStart(2, '0');
  const day = `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
  return `${day} ${two(date.getHours())}:${two(date.getMinutes())}`;
}

/** `1 step`, `2 steps`. */
export function counted(count: number, word: string): string {
  return `${count} ${word}${count === 1 ? '' : 's'}`;
}

/** Rows of cells as lines: the first column to the left, the others to the right, each as wide as its widest cell. */
export function table(rows: readonly (readonly string[])[]): readonly string[] {
  const width = (column: number): number => Math.max(...rows.map((row) => row[column]?.length ?? 0));
  const widths = (rows[0] ?? []).map((_, column) => width(column));
  return rows.map((row) =>
    row
      .map((cell, column) => (column === 0 ? cell.padEnd(widths[0] ?? 0) : cell.padStart(widths[column] ?? 0)))
      .join('  ')
      .trimEnd(),
  );
}
