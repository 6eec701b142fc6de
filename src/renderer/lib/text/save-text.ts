/**
 * Downloads a text as a file. A window asks for the place; a browser follows its settings. A name of a file says what it
 * is, so no browser opens it or adds an ending.
 */
export function saveText(pieces: string | readonly (string | Uint8Array<ArrayBuffer>)[], name: string): void {
  const parts = typeof pieces === 'string' ? [pieces] : [...pieces];
  const url = URL.createObjectURL(new Blob(parts, { type: 'application/octet-stream' }));
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  // By then the download has begun, or it never will.
  setTimeout(() => URL.revokeObjectURL(url), 60_000);
}
