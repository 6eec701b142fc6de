/** Offers a text as a file, as a download: where it goes is asked, or set, outside of the page. */
export function saveText(text: string, name: string): void {
  const url = URL.createObjectURL(new Blob([text], { type: 'application/octet-stream' }));
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  // The download has begun by then, or never will.
  setTimeout(() => URL.revokeObjectURL(url), 60_000);
}
