/** Notices when a model writes much slower than it did before on the same engine. */
export interface SpeedWatch {
  /**
   * Returns a sentence if this call was much slower than the model's own baseline. Null if it was not, or there is
   * no baseline yet. `model` is its digest or file.
   */
  readonly note: (model: string, call: WrittenTokens) => string | null;
}

export interface WrittenTokens {
  readonly outputTokens: number | null;
  readonly outputMs: number | null;
  /** The model ran on the processor alone, so nothing of it can have left a card. */
  readonly isWithoutCard?: boolean;
}

/** Shorter answers say little about speed. */
const leastTokens = 24;
const leastCalls = 3;
const share = 0.5;

export function createSpeedWatch(): SpeedWatch {
  const seen = new Map<string, number[]>();
  return {
    note: (model, { outputTokens, outputMs, isWithoutCard = false }) => {
      if (outputTokens === null || outputMs === null || outputTokens < leastTokens || outputMs <= 0) return null;
      const speed = outputTokens / (outputMs / 1000);
      const before = seen.get(model) ?? [];
      const sorted = [...before].sort((left, right) => left - right);
      const usual = sorted[Math.floor(sorted.length / 2)] ?? null;
      seen.set(model, [...before, speed].slice(-20));
      if (usual === null || before.length < leastCalls || speed >= usual * share) return null;
      return `it wrote ${speed.toFixed(1)} tokens a second, and ${usual.toFixed(1)} before. Another program may use the machine${isWithoutCard ? '' : ', or a part of the model left the card'}`;
    },
  };
}
