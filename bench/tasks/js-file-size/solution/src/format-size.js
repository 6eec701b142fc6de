const UNITS = ['B', 'KB', 'MB', 'GB', 'TB'];
const STEP = 1024;

/**
 * Writes a number of bytes for people: "0 B", "512 B", "1.5 KB".
 * Bytes are whole, everything larger has one decimal. The number before the
 * unit is always below 1024, except with the largest unit.
 */
export function formatSize(bytes) {
  if (!Number.isFinite(bytes) || bytes < 0) throw new RangeError('not a size');
  let value = bytes;
  let unit = 0;
  const shown = () => Number(value.toFixed(unit === 0 ? 0 : 1));
  while (shown() >= STEP && unit < UNITS.length - 1) {
    value /= STEP;
    unit += 1;
  }
  return unit === 0 ? `${Math.round(value)} B` : `${value.toFixed(1)} ${UNITS[unit]}`;
}

/** How much of `total` is used, such as "1.0 KB of 2.0 MB". */
export function formatUsage(used, total) {
  return `${formatSize(used)} of ${formatSize(total)}`;
}
