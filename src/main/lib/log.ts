import { describeError } from './describe-error.ts';
import { createLogFile } from './files/log-file.ts';

/**
 * Diagnostics for developers and bug reports. They are never shown as part of a session and never contain prompts, file
 * contents or arguments of programs. Writing never throws and never keeps the work waiting for long.
 */
interface Log {
  info(text: string): void;
  /** What went wrong, and the error behind it, of which only what is safe is written. */
  warn(text: string, error?: unknown): void;
  error(text: string, error?: unknown): void;
}

export interface LogOptions {
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** Who writes: several processes share a file. */
  readonly from: string;
  /** Removes secrets. A line for which it throws is not written. */
  readonly clean: (text: string) => string;
  /** Takes one whole line without its line break; must not throw. */
  readonly write: (line: string) => void;
}

/** A fault that repeats must not fill the log, or push out how it began. */
const linesPerMinute = 200;
const longestLine = 2_000;

/** Writes one line per message: time, level, who, text. Control characters in the text are replaced. */
export function createLog({ now, from, clean, write }: LogOptions): Log {
  let minute = 0;
  let written = 0;
  const line = (level: string, text: string): void =>
    write(`${new Date(now()).toISOString()} ${level} [${from}] ${text}`);
  const at = (level: string, text: string, error: unknown): void => {
    const current = Math.floor(now() / 60_000);
    if (current !== minute) [minute, written] = [current, 0];
    written += 1;
    if (written > linesPerMinute + 1) return;
    if (written > linesPerMinute) return line('warn', 'Further lines of this minute are left out.');
    const cleaned = cleanedOrNull(clean, error === undefined ? text : `${text}: ${describeError(error)}`);
    if (cleaned !== null) line(level, oneLine(cleaned));
  };
  return {
    info: (text) => at('info', text, undefined),
    warn: (text, error) => at('warn', text, error),
    error: (text, error) => at('error', text, error),
  };
}

function cleanedOrNull(clean: LogOptions['clean'], text: string): string | null {
  try {
    return clean(text);
  } catch {
    // Without cleaning, the line might hold a secret.
    return null;
  }
}

function oneLine(text: string): string {
  const cut = text.length > longestLine ? `${text.slice(0, longestLine)} …` : text;
  return cut
    .replaceAll('\r', String.raw`\r`)
    .replaceAll('\n', String.raw`\n`)
    .replaceAll(/\p{Cc}/gu, '?');
}

const nothing = (): void => undefined;

/** For tests and for processes without a home. */
const silent: Log = { info: nothing, warn: nothing, error: nothing };

interface Diagnostics {
  readonly log: Log;
  /** The folder of the log's files; null: this process keeps none. */
  readonly folder: string | null;
  readonly clean: (text: string) => string;
}

let current: Diagnostics = { log: silent, folder: null, clean: String };

/** The log of this process. Silent until the process has said where it is (`keepDiagnostics`). */
export const diagnostics: Log = {
  info: (text) => current.log.info(text),
  warn: (text, error) => current.log.warn(text, error),
  error: (text, error) => current.log.error(text, error),
};

/** From now on, `diagnostics` goes to the files in `folder`. `name`: what this process is, in one word. */
export function keepDiagnostics(folder: string, name: string, clean: LogOptions['clean']): void {
  const write = createLogFile({ folder });
  const from = `${name} ${process.pid}`;
  const log = createLog({ now: Date.now, from, clean: (text) => current.clean(text), write });
  current = { log, folder, clean };
}

/** From now on, `diagnostics` also hides what has become known as a secret. */
export function cleanDiagnostics(clean: LogOptions['clean']): void {
  current = { ...current, clean };
}

export const diagnosticsFolder = (): string | null => current.folder;

/**
 * For `catch`: the work goes on with `value`, and the log says why. That something is missing or was cancelled is
 * expected wherever this is used, and is not written.
 */
export function orNoted<T>(what: string, value: T): (error: unknown) => T {
  return (error) => {
    noteFailure(what, error);
    return value;
  };
}

/** As `orNoted`, where there is no value to go on with. */
export function noteFailure(what: string, error: unknown): void {
  if (!isExpected(error)) diagnostics.warn(what, error);
}

function isExpected(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if (error.name === 'AbortError' || error.name === 'TimeoutError') return true;
  const code = 'code' in error ? error.code : undefined;
  return code === 'ENOENT' || code === 'ENOTDIR' || code === 'ABORT_ERR' || code === 'cancelled';
}
