/**
 * Diagnostics for developers and bug reports. They are never shown as part of a session and never contain file
 * contents.
 */
export interface Log {
  debug(text: string): void;
  info(text: string): void;
  warn(text: string): void;
  error(text: string): void;
}

const logLevels = ['debug', 'info', 'warn', 'error'] as const;
type LogLevel = (typeof logLevels)[number];

export interface LogOptions {
  readonly level: LogLevel;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** Takes one whole line without its line break; must not throw. */
  readonly write: (line: string) => void;
}

/** Writes one line per message: time, level, text. Line breaks in the text are escaped. */
export function createLog(options: LogOptions): Log {
  const at =
    (level: LogLevel) =>
    (text: string): void => {
      if (logLevels.indexOf(level) < logLevels.indexOf(options.level)) return;
      const oneLine = text.replaceAll('\r', '\\r').replaceAll('\n', '\\n');
      options.write(`${new Date(options.now()).toISOString()} ${level} ${oneLine}`);
    };
  return { debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') };
}

const nothing = (): void => undefined;

/** For tests and for hosts that keep no diagnostics. */
export const silentLog: Log = { debug: nothing, info: nothing, warn: nothing, error: nothing };
