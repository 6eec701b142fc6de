const longestHeader = 4_096;
const headerEnd = '\r\n\r\n';

/**
 * Looks at the bytes of a server for a header without an end. The reader of the protocol looks through all of one again
 * with each piece, so that megabytes of it would hold up the whole program.
 */
export class MessageHeaders {
  #header = '';
  /** How much of the message's content is still to come. */
  #left = 0;

  /** False: these bytes, after those before, are no messages. */
  readonly allow = (bytes: Uint8Array): boolean => {
    for (let at = 0; at < bytes.length;) {
      if (this.#left > 0) {
        const taken = Math.min(this.#left, bytes.length - at);
        this.#left -= taken;
        at += taken;
        continue;
      }
      const known = this.#header.length;
      const header = this.#header + Buffer.from(bytes.subarray(at, at + longestHeader - known)).toString('latin1');
      const end = header.indexOf(headerEnd);
      if (end === -1) {
        this.#header = header;
        return header.length < longestHeader;
      }
      const length = lengthIn(header.slice(0, end));
      if (length === null) return false;
      this.#left = length;
      this.#header = '';
      at += end + headerEnd.length - known;
    }
    return true;
  };
}

function lengthIn(header: string): number | null {
  for (const line of header.split('\r\n')) {
    const colon = line.indexOf(':');
    if (line.slice(0, colon).trim().toLowerCase() !== 'content-length') continue;
    const value = Number(line.slice(colon + 1).trim());
    return Number.isSafeInteger(value) && value >= 0 ? value : null;
  }
  return null;
}
