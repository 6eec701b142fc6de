/** Parses a JSON text. Null for invalid JSON. */
export function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // The caller reports that it is not the expected value.
    return null;
  }
}
