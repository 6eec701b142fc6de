import { afterEach, describe, expect, test } from 'vitest';
import { makeJudge } from '../../../../../src/main/agent/recipes/fix/judge.ts';
import { makeStage, type RecipeStage } from '../fakes/recipe-context.ts';

const stages: RecipeStage[] = [];
afterEach(async () => {
  for (const stage of stages.splice(0)) await stage.dispose();
});

describe('the judge', () => {
  test('tries what it is given in a share of time that is no whole number', async () => {
    const stage = await makeStage({
      files: { 'answer.txt': '41\n' },
      task: 'Fix it',
      command: 'grep -q 42 answer.txt',
    });
    stages.push(stage);
    const judge = await makeJudge(stage.context, 'grep -q 42 answer.txt');
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
