'use strict';

/**
 * Returns a function that calls `compute` once for each different list of
 * arguments and remembers what came out. Arguments are strings, numbers and
 * booleans. At most `size` results are kept; the oldest one goes first. An
 * error is not remembered.
 */
function memoize(compute, { size = 1000 } = {}) {
  const results = new Map();

  function memoized(...args) {
    const key = args[0];
    if (results.has(key)) return results.get(key);
    const result = compute(...args);
    results.set(key, result);
    if (results.size > size) results.delete(results.keys().next().value);
    return result;
  }

  memoized.clear = () => results.clear();
  return memoized;
}

module.exports = { memoize };
