/** A probability from a sum of votes (the logistic function). */
export function chanceOf(sum: number): number {
  return 1 / (1 + Math.exp(-sum));
}
