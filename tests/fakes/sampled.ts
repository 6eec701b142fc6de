/**
 * The number of rounds of a long proof: a sample, or all of them with `npm test -- proofs`. The seed is the same, so
 * the sample is the beginning of the whole.
 */
export function sampled(whole: number, sample: number): number {
  return process.env['DEWPOINT_PROOFS'] === 'whole' ? whole : sample;
}
