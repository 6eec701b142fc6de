/**
 * US dollars with enough digits for small sums, such as `$0.0421`. Null is an unknown price. A tiny sum is not shown as
 * 0.
 */
export function moneyText(usd: number | null): string {
  if (usd === null) return 'unpriced';
  if (usd > 0 && usd < 0.00005) return '<$0.0001';
  return usd === 0 ? '$0' : `$${usd.toFixed(4)}`;
}
