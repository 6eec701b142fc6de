import { lineCents } from './cart.js';

/** What a voucher takes off, in cents: a share of what is paid, rounded once in favor of the customer. */
export function voucherCents(lines, { percent }) {
  const paid = lines.reduce((all, line) => all + lineCents(line), 0);
  return Math.ceil((paid * percent) / 100);
}
