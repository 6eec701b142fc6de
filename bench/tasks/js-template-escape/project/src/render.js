/**
 * Fills a template: every {{ name }} is replaced by the value of that name.
 * Dots reach into objects: {{ user.name }}. A missing value gives "".
 */
export function render(template, values) {
  return template.replace(/\{\{\s*([\w.]+)\s*\}\}/g, (_, path) => String(lookup(values, path)));
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
