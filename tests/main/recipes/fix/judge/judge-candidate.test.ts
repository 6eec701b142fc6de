import { afterEach, describe, expect, test } from 'vitest';
import { createJudge } from '../../../../../src/main/recipes/fix/judge/judge-candidate.ts';
import { makeHarness, type RecipeHarness } from '../../fakes/recipe-context.ts';

const harnesses: RecipeHarness[] = [];
afterEach(async () => {
  for (const harness of harnesses.splice(0)) await harness.dispose();
});

describe('the judge', () => {
  test('tries candidates with a time limit that is not a whole number', async () => {
    const harness = await makeHarness({
      files: { 'answer.txt': '41\n' },
      task: 'Fix it',
      command: 'grep -q 42 answer.txt',
    });
    harnesses.push(harness);
    const judge = await createJudge(harness.context, 'grep -q 42 answer.txt');
    const candidates = ['43', '42'].map((text) => ({
      files: [{ path: 'answer.txt', text: `${text}\n` }],
      origin: 'mechanical' as const,
      label: text,
      span: null,
    }));
    const verdicts = await judge?.try(candidates, { stopAfter: 1, totalSeconds: 20.0123, graceSeconds: 0.5 });
    expect(verdicts?.map(({ type }) => type)).toEqual(['rejected', 'accepted']);
  });
});
