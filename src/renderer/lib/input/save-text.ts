/** Offers a text as a file: the window asks where to, a browser does as it is set. */
export function saveText({
  name,
  type,
  text,
}: {
  readonly name: string;
  readonly type: string;
  readonly text: string;
}): void {
  const url = URL.createObjectURL(new Blob([text], { type: `${type};charset=utf-8` }));
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  // The reading has begun by then; at once, some browsers would save nothing.
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}
