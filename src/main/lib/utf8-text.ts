/** The text of bytes, a byte order mark included. Null: they are not valid UTF-8, and writing them back would lose bytes. */
export function utf8Text(bytes: Uint8Array): string | null {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    // The caller reports it.
    return null;
  }
}
