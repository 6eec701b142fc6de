const LEVELS = ['debug', 'info', 'warn', 'error'];

/** Reads a line such as '12:00:01 error disk full'; null when it is not one of the log. */
export function parseEntry(line) {
  const match = /^(\d\d:\d\d:\d\d) (\w+) (.*)$/.exec(line);
  if (match === null || !LEVELS.includes(match[2])) return null;
  return { time: match[1], level: match[2], message: match[3] };
}

/** The entries of a log file; other lines are left out. */
export function parseLog(text) {
  return text
    .split(/\r?\n/)
    .map(parseEntry)
    .filter((entry) => entry !== null);
}

function formatEntry({ time, level, message }) {
  return `${time} ${level.toUpperCase().padEnd(5)} ${message}`;
}

/**
 * The entries as text, one line each. They are only read, never changed.
 *
 * @param {{ time: string, level: string, message: string }[]} entries
 * @param {object} [options]
 * @param {string} [options.minLevel] hides the entries below this level
 */
export function renderLog(entries, { minLevel = 'debug' } = {}) {
  const lowest = LEVELS.indexOf(minLevel);
  const shown = entries.filter(({ level }) => LEVELS.indexOf(level) >= lowest);
  return shown.map(formatEntry).join('\n');
}
