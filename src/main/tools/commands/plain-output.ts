import { stripVTControlCharacters } from 'node:util';

/** A text with a larger share of characters that cannot be read counts as binary. */
const mostUnreadable = 0.1;
/** A shorter text is shown as it is. */
const leastBinary = 32;

// oxlint-disable-next-line no-control-regex -- these are what cannot be read
const unreadable = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f\ufffd]/gu;

/**
 * What a command printed, as a terminal shows it: without colors, with plain ends of lines, and only the last state of a
 * line that was written over. Binary bytes are named, not shown.
 */
export function plainOutput(text: string, bytes: number): string {
  const plain = stripVTControlCharacters(text).split('\n').map(lastState).join('\n');
  const count = plain.match(unreadable)?.length ?? 0;
  if (plain.length >= leastBinary && count > plain.length * mostUnreadable)
    return `[binary, ${bytes.toLocaleString('en')} bytes, not shown: print it with xxd, or save it to a file]`;
  return count === 0 ? plain : plain.replace(unreadable, '\u{fffd}');
}

/** What a line shows after it was written over from its begin. */
function lastState(line: string): string {
  let end = line.length;
  while (line[end - 1] === '\r') end -= 1;
  return line.slice(line.lastIndexOf('\r', end - 1) + 1, end);
}
