/**
 * Returns the rows sorted by one column. Strings are compared without regard to
 * case. Rows with equal values keep their order, in both directions, and the
 * given array is not changed.
 *
 * @param {object[]} rows
 * @param {string} column
 * @param {'asc' | 'desc'} direction
 */
export function sortRows(rows, column, direction = 'asc') {
  const factor = direction === 'desc' ? -1 : 1;
  const keyOf = (row) => {
    const value = row[column];
    return typeof value === 'string' ? value.toLowerCase() : value;
  };
  return [...rows].sort((a, b) => {
    const left = keyOf(a);
    const right = keyOf(b);
    if (left === right) return 0;
    return left > right ? factor : -factor;
  });
}

/** The other direction, for a second click on the same column. */
export function flip(direction) {
  return direction === 'asc' ? 'desc' : 'asc';
}
