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

/** One line of at most `width` characters. */
export function oneLine(text: string, width: number): string {
  const line = printable(text).replace(/\s+/gu, ' ').trim();
  const characters = Array.from(line);
  return characters.length <= width ? line : `${characters.slice(0, Math.max(1, width - 1)).join('')}…`;
}

export function seconds(milliseconds: number): string {
  return milliseconds < 9_950 ? `${(milliseconds / 1000).toFixed(1)} s` : `${Math.round(milliseconds / 1000)} s`;
}

export function bytes(count: number): string {
  if (count < 1024) return `${count} B`;
  if (count < 1024 * 1024) return `${(count / 1024).toFixed(1)} KiB`;
  return count < 1024 ** 3 ? `${(count / 1024 ** 2).toFixed(1)} MiB` : `${(count / 1024 ** 3).toFixed(2)} GiB`;
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
