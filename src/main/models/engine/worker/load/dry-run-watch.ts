/**
 * Notices where the engine's dry run of a load fails. Its library then goes by an older estimate, which is off by up
 * to thirty times, and says so in a warning only.
 */
export interface DryRunWatch {
  /** Every line that the engine or its library prints. */
  readonly hear: (line: string) => void;
  /** Throws where a dry run failed since it was asked last. */
  readonly check: () => void;
}

export function createDryRunWatch(): DryRunWatch {
  let failed: string | null = null;
  return {
    hear: (line) => {
      if (/falling back to estimation/iu.test(line)) failed = line.trim();
    },
    check: () => {
      const said = failed;
      failed = null;
      if (said !== null) throw new Error(`What this model takes could not be found out by a dry run. ${said}`);
    },
  };
}
