'use strict';

/**
 * Writes the way to a value as text: ['lines', 0, 'price'] -> "lines[0].price".
 * Numbers are positions in a list, strings are names.
 */
function formatPath(keys) {
  return keys.reduce((path, key) => {
    if (typeof key === 'number') return `${path}[${key}]`;
    return path === '' ? key : `${path}.${key}`;
  }, '');
}

module.exports = { formatPath };
