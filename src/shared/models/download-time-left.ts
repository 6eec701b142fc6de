import type { PullProgress } from '@shared/contract/models-contract.ts';

interface Sample {
  readonly at: number;
  readonly doneBytes: number;
}

/** A speed is that of the last seconds: connections change theirs. */
const windowMs = 15_000;
/** Of less than this nothing is said. */
const leastMs = 2_000;

/**
 * Milliseconds until a download will have come, at the speed of the last fifteen seconds; null where that cannot be
 * said: of another phase, of an unknown size, at its beginning, and while nothing comes. What was there before it began
 * counts as no speed. Asked once for each progress, `at` in milliseconds of any clock.
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
