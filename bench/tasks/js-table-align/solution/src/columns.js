/**
 * Completes the description of a column: {key, title, format, align}. The title is the
 * key when there is none; `format` turns a value into text; `align` is 'left' or 'right'.
 */
export function column({ key, title = key, format = String, align = 'left' }) {
  if (!key) throw new TypeError('a column needs a key');
  if (align !== 'left' && align !== 'right') throw new RangeError(`unknown align ${align}`);
  return { key, title, format, align };
}

/** The text of a cell; what is missing is empty. */
export function cellText({ key, format }, row) {
  const value = row[key];
  return value === undefined || value === null ? '' : format(value);
}
