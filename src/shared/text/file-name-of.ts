/** A title as a file name that is valid on every system. */
export function fileNameOf(title: string): string {
  const name = title
    .replaceAll(/[^\p{L}\p{N} ._-]+/gu, ' ')
    .trim()
    .slice(0, 60)
    .trim();
  return name === '' ? 'session' : name;
}
