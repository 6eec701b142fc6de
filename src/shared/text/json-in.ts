/** Parses a JSON text. Null for invalid JSON. */
export function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // The caller reports that it is not the expected value.
    return null;
  }
}

/** The same, but text that is not JSON is returned as it is. */
export function jsonOrText(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // Plain words are a value, too.
    return text;
  }
}
