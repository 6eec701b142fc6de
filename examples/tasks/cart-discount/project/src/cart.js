import { voucherCents } from './voucher.js';

/** The total of a cart in cents. An offer of 3 for 2 makes each third piece free. */
export function totalCents(lines, voucher = null) {
  const sum = lines.reduce((all, line) => all + lineCents(line), 0);
  return sum - (voucher === null ? 0 : voucherCents(lines, voucher));
}

export function lineCents({ priceCents, count, offer = null }) {
  const free = offer === '3 for 2' ? Math.floor(count / 3) : 0;
  return priceCents * (count - free);
}
