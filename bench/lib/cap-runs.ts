/** What one made-up case of limits came to. */
export interface CapRun {
  /** How often something was let through that was beyond a limit. */
  readonly beyond: number;
  readonly granted: number;
  readonly refused: number;
}

/** So many cases in sum. */
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
