/** An address; null for what is none. `URL.canParse` is not in the Node of the oldest Electron. */
export function parsedUrl(text: string): URL | null {
  try {
    return new URL(text);
  } catch {
    return null;
  }
}
