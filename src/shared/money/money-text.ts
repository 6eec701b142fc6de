/** US dollars for people who read tables of small sums: `$0.0421`. Null is a price that nobody knows, and a trace is not 0 either. */
export function moneyText(usd: number | null): string {
  if (usd === null) return 'unpriced';
  if (usd > 0 && usd < 0.00005) return '<$0.0001';
  return usd === 0 ? '$0' : `$${usd.toFixed(4)}`;
}
