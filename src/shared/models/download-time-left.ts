import type { PullProgress } from '@shared/contract/models-contract.ts';

interface Sample {
  readonly at: number;
  readonly doneBytes: number;
}

/** Only the last seconds count, because connections change their speed. */
const windowMs = 15_000;
/** A shorter measurement gives no estimate. */
const leastMs = 2_000;

/**
 * Milliseconds until a download ends, at the speed of the last fifteen seconds. Null in another phase, for an unknown
 * size, at the beginning, and while nothing arrives. Bytes that were there before the start do not count as speed. Call
 * it once for each progress report; `at` is in milliseconds of any clock.
 */
export function createDownloadTimeLeft(): (progress: PullProgress, at: number) => number | null {
  let samples: readonly Sample[] = [];
  return ({ phase, doneBytes, totalBytes }, at) => {
    if (phase !== 'downloading') {
      samples = [];
      return null;
    }
    samples = [...samples.filter((sample) => at - sample.at <= windowMs), { at, doneBytes }];
    const [first] = samples;
    if (first === undefined || totalBytes === null || at - first.at < leastMs) return null;
    const came = doneBytes - first.doneBytes;
    return came <= 0 ? null : ((totalBytes - doneBytes) * (at - first.at)) / came;
  };
}
