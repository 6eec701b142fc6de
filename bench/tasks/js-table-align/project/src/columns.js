/**
 * Completes the description of a column: {key, title, format}. The title is the
 * key when there is none; `format` turns a value into text.
 */
export function column({ key, title = key, format = String }) {
  if (!key) throw new TypeError('a column needs a key');
  return { key, title, format };
}

/** The text of a cell; what is missing is empty. */
export function cellText({ key, format }, row) {
  const value = row[key];
  return value === undefined || value === null ? '' : format(value);
}
