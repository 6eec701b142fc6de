/** Parses a JSON text. Null for invalid JSON. */
export function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // The caller reports that it is not the expected value.
    return null;
  }
}

/** The same; a text that is no JSON is itself. */
export function jsonOrText(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // It stands for itself.
    return text;
  }
}
