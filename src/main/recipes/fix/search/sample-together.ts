import type { Sample, UsableProposal } from './propose-change.ts';
import { candidateKey, type Candidate } from '../../trial/candidate-change.ts';
import type { Verdict } from '../judge/judge-candidate.ts';

/** What a group of samples needs from its search. */
export interface SampleGroup {
  nextSeed(): number;
  isOver(): boolean;
  /** Whether a candidate was judged before this group. */
  isKnown(key: string): boolean;
  /** Null: the model could not answer. */
  propose(sample: Sample): Promise<UsableProposal | null>;
  judgeAlone(proposal: UsableProposal): Promise<Verdict | null>;
  judgeAll(candidates: readonly Candidate[]): Promise<readonly Verdict[]>;
}

/**
 * Samples of one question. If the engine answers in parallel, `together` of them, all tried in one run: a candidate
 * that passes is counted as often as the model wrote it, so that the most frequent answer has the most votes. Otherwise
 * `samples`, one after the other, until one passes or is progress.
 */
export async function sampleTogether(
  sampler: SampleGroup,
  { samples, together }: { readonly samples: number; readonly together: number },
): Promise<readonly Verdict[]> {
  const seeds = Array.from({ length: together }, () => sampler.nextSeed());
  const voices = new Map<string, Voices>();
  const alone: Verdict[] = [];
  let asked = 0;
  for (const [index, seed] of seeds.entries()) {
    if (sampler.isOver() || asked >= samples) break;
    const proposal = await sampler.propose({ seed, also: seeds.slice(index + 1) });
    const isNew = proposal !== null && !isHeard(voices, sampler, proposal);
    if (proposal?.together === true) continue;
    asked += 1;
    const verdict = isNew ? await sampler.judgeAlone(proposal) : null;
    if (verdict !== null) alone.push(verdict);
    if (verdict?.type === 'accepted' || verdict?.type === 'partial') return alone;
  }
  const untried = [...voices.values()].filter(({ isTried }) => !isTried);
  if (untried.length === 0) return alone;
  const verdicts = await sampler.judgeAll(untried.map(({ candidate }) => candidate));
  const heard = verdicts.flatMap((verdict) => {
    const { count = 1 } = voices.get(candidateKey(verdict.candidate)) ?? {};
    return verdict.type === 'accepted' ? Array.from({ length: count }, () => verdict) : [verdict];
  });
  return [...alone, ...heard.sort((left, right) => right.gained - left.gained)];
}

interface Voices {
  readonly candidate: Candidate;
  readonly isTried: boolean;
  count: number;
}

/** Whether the same answer came before; counts it. */
function isHeard(voices: Map<string, Voices>, sampler: SampleGroup, proposal: UsableProposal): boolean {
  if (proposal.type !== 'candidate') return false;
  const key = candidateKey(proposal.candidate);
  if (sampler.isKnown(key)) return true;
  const known = voices.get(key);
  if (known !== undefined) known.count += 1;
  else voices.set(key, { candidate: proposal.candidate, isTried: !proposal.together, count: 1 });
  return known !== undefined;
}
