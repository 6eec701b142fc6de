/** Money is kept in whole cents everywhere; these two turn it from and to text. */

/** "19.99" -> 1999. Throws for anything that is not an amount. */
export function parseAmount(text) {
  if (!/^\d+(\.\d{1,2})?$/.test(text)) throw new TypeError(`not an amount: ${text}`);
  return Math.round(Number(text) * 100);
}

/** 1999 -> "19.99" */
export function formatCents(cents) {
  return (cents / 100).toFixed(2);
}
