import { defineRule, type Vote } from '../define.ts';

/** Imaginary turns that are added to the counted ones, half of them solved, so that a few turns weigh little. */
const IMAGINED = 4;
/** Fewer turns may be chance. */
const LEAST = 2;
const MOST = 2;

/** How steps of this kind went with these two models, in this project first, if a check judged the result. */
export default defineRule({
  id: 'own-record',
  vote({ localTries = 0, localSolved = 0, cloudTries = 0, cloudSolved = 0 }, { weaker, stronger }) {
    const votes: Omit<Vote, 'rule'>[] = [];
    if (localTries >= LEAST) {
      const share = smoothed(localSolved, localTries);
      votes.push(vote(Math.log((1 - share) / share), told(weaker, localSolved, localTries)));
    }
    // If the cloud does not solve it either, it gains nothing.
    if (cloudTries >= LEAST && localTries < LEAST) {
      const share = smoothed(cloudSolved, cloudTries);
      votes.push(vote(Math.log(2 * share), told(stronger, cloudSolved, cloudTries)));
    }
    return votes.filter(({ weight }) => weight > 0);
  },
});

function smoothed(solved: number, tries: number): number {
  return (solved + IMAGINED / 2) / (tries + IMAGINED);
}

function vote(towardCloud: number, reason: string): Omit<Vote, 'rule'> {
  const weight = Math.min(MOST, Math.abs(towardCloud));
  return { toward: towardCloud > 0 ? 'cloud' : 'local', weight, reason };
}

function told(name: string, solved: number, tries: number): string {
  const [done, all] = [solved, tries].map((count) => Number(count.toFixed(1)));
  return `By its record, this project first, ${name} ended ${done} of ${all} checked tasks with such steps well (older ones count less).`;
}
