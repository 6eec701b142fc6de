/**
 * US dollars with enough digits for small sums, such as `$0.0421`. Null is an unknown price. A tiny sum is not shown as
 * 0. Every host, export and message writes sums below a dollar like this.
 */
export function moneyText(usd: number | null): string {
  if (usd === null) return 'unpriced';
  if (usd === 0) return '$0';
  const sum = Math.abs(usd);
  if (sum < 0.000_05) return 'under $0.0001';
  return `${usd < 0 ? '-' : ''}$${sum.toFixed(4)}`;
}

/** A sum that is written after "about": at least the smallest that has digits, so that it never reads "about under". */
export function aboutUsd(usd: number): number {
  return usd > 0 ? Math.max(usd, 0.0001) : usd;
}

/** A sum that is expected, not counted: from a cent on, in cents. */
export function roundMoneyText(usd: number): string {
  if (Math.abs(usd) >= 0.01) return `${usd < 0 ? '-' : ''}$${Math.abs(usd).toFixed(2)}`;
  return moneyText(usd);
}
