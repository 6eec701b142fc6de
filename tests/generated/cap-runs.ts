/** The result of one made-up case of limits. */
export interface CapRun {
  /** How often something beyond a limit was let through. */
  readonly beyond: number;
  readonly granted: number;
  readonly refused: number;
}

/** The sums over so many cases. */
export async function sumOfRuns(times: number, runOne: () => Promise<CapRun>): Promise<CapRun> {
  const sum = { beyond: 0, granted: 0, refused: 0 };
  for (let run = 0; run < times; run += 1) {
    const { beyond, granted, refused } = await runOne();
    sum.beyond += beyond;
    sum.granted += granted;
    sum.refused += refused;
  }
  return sum;
}
