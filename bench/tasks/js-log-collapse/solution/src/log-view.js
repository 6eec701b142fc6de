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

function formatEntry({ time, level, message, count = 1 }) {
  const repeats = count > 1 ? ` (x${count})` : '';
  return `${time} ${level.toUpperCase().padEnd(5)} ${message}${repeats}`;
}

/**
 * The entries as text, one line each. They are only read, never changed.
 *
 * @param {{ time: string, level: string, message: string }[]} entries
 * @param {object} [options]
 * @param {string} [options.minLevel] hides the entries below this level
 * @param {boolean} [options.collapse] makes one line of entries that repeat each other
 */
export function renderLog(entries, { minLevel = 'debug', collapse = false } = {}) {
  const lowest = LEVELS.indexOf(minLevel);
  const shown = entries.filter(({ level }) => LEVELS.indexOf(level) >= lowest);
  const runs = [];
  for (const entry of shown) {
    const last = runs.at(-1);
    const isRepeat = collapse && last?.level === entry.level && last.message === entry.message;
    if (isRepeat) last.count += 1;
    else runs.push({ ...entry, count: 1 });
  }
  return runs.map(formatEntry).join('\n');
}
