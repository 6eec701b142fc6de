const LINE = /^(\S+) \S+ \S+ \[([^\]]+)\] "(\S+) (\S+)[^"]*" (\d{3}) (\d+|-)$/;

/**
 * Parses one line of an access log in the common format, or returns null.
 * The size is the number of bytes sent; servers write "-" when there were none.
 */
export function parseLine(line) {
  const match = LINE.exec(line.trim());
  if (match === null) return null;
  const [, host, time, method, path, status, size] = match;
  return {
    host,
    day: time.slice(0, time.indexOf(':')),
    method,
    path,
    status: Number(status),
    size: size === '-' ? 0 : Number(size),
  };
}
