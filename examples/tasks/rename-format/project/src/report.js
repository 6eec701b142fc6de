import * as money from './money.js';

export function report(rows) {
  const sum = rows.reduce((all, { cents }) => all + cents, 0);
  if (rows.length === 0) throw new Error('fmt: there is nothing to report');
  return `Sum: ${money.fmt(sum)}`;
}
