/**
 * Fills a template: every {{ name }} is replaced by the value of that name.
 * Dots reach into objects: {{ user.name }}. A missing value gives "".
 * Values are escaped for HTML, except in triple braces: {{{ html }}}.
 */
export function render(template, values) {
  const placeholder = /\{\{\{\s*([\w.]+)\s*\}\}\}|\{\{\s*([\w.]+)\s*\}\}/g;
  return template.replace(placeholder, (_, rawPath, path) =>
    rawPath === undefined
      ? escapeHtml(String(lookup(values, path)))
      : String(lookup(values, rawPath)),
  );
}

const ENTITIES = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };

function escapeHtml(text) {
  return text.replace(/[&<>"']/g, (char) => ENTITIES[char]);
}

/** Finds a value by a path such as "user.address.city"; "" if it is not there. */
function lookup(values, path) {
  let current = values;
  for (const key of path.split('.')) {
    if (current === null || current === undefined) return '';
    current = current[key];
  }
  return current ?? '';
}
