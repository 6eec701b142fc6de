import { formatMoney as amount } from './money.js';

/** The header of an exported file names its format: fmt=1. */
export function exported(rows) {
  return ['fmt=1', ...rows.map(({ name, cents }) => `${name};${amount(cents)}`)].join('\n');
}
