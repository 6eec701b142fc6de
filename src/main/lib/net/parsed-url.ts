/** A parsed address; null if it is not valid. `URL.canParse` does not exist in the Node of the oldest Electron. */
export function parsedUrl(text: string): URL | null {
  try {
    return new URL(text);
  } catch {
    return null;
  }
}
