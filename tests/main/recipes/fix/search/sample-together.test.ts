import { describe, expect, it } from 'vitest';
import { emptyReport } from '../../../../../src/main/lib/test-output/test-report.ts';
import type { Sample } from '../../../../../src/main/recipes/fix/search/propose-change.ts';
import { candidateKey, type Candidate } from '../../../../../src/main/recipes/trial/candidate-change.ts';
import type { Verdict } from '../../../../../src/main/recipes/fix/judge/judge-candidate.ts';
import { sampleTogether, type SampleGroup } from '../../../../../src/main/recipes/fix/search/sample-together.ts';

const candidateOf = (text: string): Candidate => ({
  files: [{ path: 'a.py', text }],
  origin: 'fix',
  label: text,
  span: null,
});

function verdictOf(candidate: Candidate, passes: ReadonlySet<string>): Verdict {
  const type = passes.has(candidate.label) ? 'accepted' : 'rejected';
  return { candidate, type, report: emptyReport, gained: 0, output: '' };
}

interface Scene {
  readonly answers: readonly (string | null)[];
  readonly passes?: readonly string[];
  readonly together: boolean;
  readonly known?: readonly string[];
  readonly over?: number;
}

function makeSampler({ answers, passes = [], together, known = [], over = Infinity }: Scene) {
  const asked: Sample[] = [];
  const alone: string[] = [];
  const groups: string[][] = [];
  let seed = 10;
  const passing = new Set(passes);
  const knownKeys = new Set(known.map((text) => candidateKey(candidateOf(text))));
  const sampler: SampleGroup = {
    nextSeed: () => (seed += 1),
    isOver: () => asked.length >= over,
    isKnown: (key) => knownKeys.has(key),
    propose: (sample) => {
      const said = answers[asked.length] ?? null;
      asked.push(sample);
      if (said === null) return Promise.resolve(null);
      return Promise.resolve(
        said === ''
          ? { type: 'unusable', reason: 'unparsed', together }
          : { type: 'candidate', candidate: candidateOf(said), together },
      );
    },
    judgeAlone: (proposal) => {
      if (proposal.type !== 'candidate') return Promise.resolve(null);
      alone.push(proposal.candidate.label);
      return Promise.resolve(verdictOf(proposal.candidate, passing));
    },
    judgeAll: (candidates) => {
      groups.push(candidates.map(({ label }) => label));
      return Promise.resolve(candidates.map((one) => verdictOf(one, passing)));
    },
  };
  return { sampler, asked, alone, groups };
}

const labelsOf = (verdicts: readonly Verdict[]): readonly string[] => verdicts.map(({ candidate }) => candidate.label);

describe('samples of one question', () => {
  it('that are written side by side are all asked, and tried in one go', async () => {
    const failureContext = makeSampler({ answers: ['a', 'b', '', 'c'], passes: ['b'], together: true });
    const verdicts = await sampleTogether(failureContext.sampler, { samples: 2, together: 4 });
    expect(failureContext.asked).toEqual([
      { seed: 11, also: [12, 13, 14] },
      { seed: 12, also: [13, 14] },
      { seed: 13, also: [14] },
      { seed: 14, also: [] },
    ]);
    expect(failureContext.groups).toEqual([['a', 'b', 'c']]);
    expect(failureContext.alone).toEqual([]);
    expect(verdicts.map(({ type }) => type)).toEqual(['rejected', 'accepted', 'rejected']);
  });

  it('that pass have as many voices as the model gave them; what fails has one', async () => {
    const { sampler, groups } = makeSampler({
      answers: ['a', 'b', 'a', 'c', 'b', 'b'],
      passes: ['a', 'b'],
      together: true,
    });
    const verdicts = await sampleTogether(sampler, { samples: 1, together: 6 });
    expect(groups).toEqual([['a', 'b', 'c']]);
    expect(labelsOf(verdicts.filter(({ type }) => type === 'accepted'))).toEqual(['a', 'a', 'b', 'b', 'b']);
    expect(labelsOf(verdicts.filter(({ type }) => type !== 'accepted'))).toEqual(['c']);
  });

  it('are asked one by one elsewhere, a few, until one passes', async () => {
    const none = makeSampler({ answers: ['a', 'b', 'c', 'd'], together: false });
    expect(labelsOf(await sampleTogether(none.sampler, { samples: 3, together: 16 }))).toEqual(['a', 'b', 'c']);
    const second = makeSampler({ answers: ['a', 'b', 'c'], passes: ['b'], together: false });
    expect(labelsOf(await sampleTogether(second.sampler, { samples: 3, together: 3 }))).toEqual(['a', 'b']);
    expect([none.groups, second.groups]).toEqual([[], []]);
  });

  it('that were judged before are not tried again, side by side or alone', async () => {
    const side = makeSampler({ answers: ['a', 'b'], known: ['a'], together: true });
    await sampleTogether(side.sampler, { samples: 1, together: 2 });
    expect(side.groups).toEqual([['b']]);
    const alone = makeSampler({ answers: ['a', 'b', 'b'], known: ['a'], together: false });
    await sampleTogether(alone.sampler, { samples: 3, together: 3 });
    expect(alone.alone).toEqual(['b']);
  });

  it('end where the search is over, with what was asked until then', async () => {
    const { sampler, groups } = makeSampler({ answers: ['a', 'b', 'c'], together: true, over: 2 });
    await sampleTogether(sampler, { samples: 1, together: 8 });
    expect(groups).toEqual([['a', 'b']]);
  });

  it('that cannot be answered count as asked, so that an engine that is gone is not asked for all', async () => {
    const { sampler, asked } = makeSampler({ answers: [null, null, null, null], together: true });
    expect(await sampleTogether(sampler, { samples: 2, together: 16 })).toEqual([]);
    expect(asked).toHaveLength(2);
  });
});
