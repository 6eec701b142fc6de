/** The value that a text is as JSON; null for a text that is none. */
export function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // Whoever reads it says that it is not what was wanted.
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
