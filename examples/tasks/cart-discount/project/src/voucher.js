/** What a voucher takes off, in cents: a share of what is paid, rounded once in favor of the customer. */
export function voucherCents(lines, { percent }) {
  return lines.reduce((all, { priceCents, count }) => all + Math.floor((priceCents * count * percent) / 100), 0);
}
