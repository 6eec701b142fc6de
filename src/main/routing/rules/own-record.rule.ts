import { defineRule, type Vote } from '../define.ts';

/** Turns that are imagined beside those that were counted, half of them solved: a few say little. */
const IMAGINED = 4;
/** Fewer are an accident. */
const LEAST = 2;
const MOST = 2;

/** How steps of this kind went with these two models on this machine, where a check judged the end. */
export default defineRule({
  id: 'own-record',
  vote({ localTries = 0, localSolved = 0, cloudTries = 0, cloudSolved = 0 }) {
    const votes: Omit<Vote, 'rule'>[] = [];
    if (localTries >= LEAST) {
      const share = smoothed(localSolved, localTries);
      votes.push(vote(Math.log((1 - share) / share), `local ${told(localSolved, localTries)}`));
    }
    // What the cloud does not solve either is no gain.
    if (cloudTries >= LEAST) {
      const share = smoothed(cloudSolved, cloudTries);
      votes.push(vote(Math.log(2 * share), `cloud ${told(cloudSolved, cloudTries)}`));
    }
    return votes.filter(({ weight }) => weight > 0);
  },
});

function smoothed(solved: number, tries: number): number {
  return (solved + IMAGINED / 2) / (tries + IMAGINED);
}

function vote(towardCloud: number, text: string): Omit<Vote, 'rule'> {
  const weight = Math.min(MOST, Math.abs(towardCloud));
  return { toward: towardCloud > 0 ? 'cloud' : 'local', weight, reason: `On this machine the ${text}.` };
}

function told(solved: number, tries: number): string {
  const [done, all] = [solved, tries].map((count) => Number(count.toFixed(1)));
  return `model ended ${done} of ${all} checked tasks with such steps well (older ones count less)`;
}
