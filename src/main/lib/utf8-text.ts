/** A mark in front included, so that the same bytes can be written again. Null: they are no UTF-8. */
export function utf8Text(bytes: Uint8Array): string | null {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    // Letters of it would be lost.
    return null;
  }
}
