/** US dollars for people who read tables of small sums: `$0.0421`. Null is a price that nobody knows, which is not 0. */
export function moneyText(usd: number | null): string {
  if (usd === null) return 'unpriced';
  return usd === 0 ? '$0' : `$${usd.toFixed(4)}`;
}
