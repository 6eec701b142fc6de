import { join } from 'node:path';
import type { ModelInfo, Where } from '@shared/models/model-info.ts';
import { profiles } from '@shared/routing/routing-profiles.ts';
import { chooseModel } from '../../src/main/routing/choose-model.ts';
import type { ChoiceFacts, ModelOption } from '../../src/main/routing/define.ts';
import { currentScore } from '../../src/main/routing/learned-score.ts';
import { discoverRules } from '../../src/main/routing/registry.ts';
import { emptyTrajectory } from '../../src/main/routing/trajectory/trajectory.ts';
import { pairPrice } from '../lib/pair-figures.ts';
import { type PairRecord, readPairResults } from '../lib/pair-results.ts';
import { modelOf, noTask } from '../lib/route-events.ts';
import type { BenchRow } from '../lib/rows.ts';

/**
 * Where the published runs of the pair 0.5B and 1.5B would begin by the learned score, and by the weights set by hand. A
 * task that begins in the cloud ends like its run there, another one like its run under `auto`.
 */
export async function pairStarts(): Promise<readonly BenchRow[]> {
  const all = await readPairResults(join(process.cwd(), 'bench', 'data', 'pair-held.jsonl'));
  const records = [...all.values()];
  let [same, hand, learned, tasks] = [0, 0, 0, 0];
  for (const auto of records.filter(({ policy }) => policy === 'auto')) {
    const cloud = records.find(({ task, policy }) => task === auto.task && policy === 'cloud');
    const [before, after] = [startOf(auto, undefined), startOf(auto, currentScore.digest)];
    const isSolved = (where: Where): number => Number((where === 'cloud' ? cloud : auto)?.solved ?? false);
    tasks += 1;
    same += before === after ? 1 : 0;
    hand += isSolved(before);
    learned += isSolved(after);
  }
  const note = `the weights set by hand: ${hand}; both begin in the same place in ${same} of ${tasks} tasks`;
  return [
    {
      figure: 'pair 0.5B and 1.5B, solved by the learned start',
      value: learned,
      unit: '',
      target: { atLeast: hand },
      note,
    },
  ];
}

function startOf(record: PairRecord, score: string | undefined): Where {
  const small: ModelInfo = { ...modelOf('local', 8192, null, false), parametersB: 0.5 };
  const price = { ...pairPrice, cacheRead: pairPrice.input, cacheWrite: pairPrice.input };
  const large: ModelInfo = { ...modelOf('cloud', 8192, price, false), parametersB: 1.5 };
  const options = [small, large].map((info): ModelOption => ({
    info,
    strategy: 'recipe',
    promptTokens: 800,
    maxOutputTokens: 500,
    canDrive: true,
  }));
  const isQuestion = record.kind === 'question';
  const isGreen = isQuestion ? null : false;
  const facts: ChoiceFacts = {
    purpose: 'act',
    policy: 'hybrid',
    numbers: { ...profiles.balanced, ...(score === undefined ? {} : { score }) },
    options,
    spent: [],
    isRecipeChecked: !isQuestion,
    taint: [],
    shut: null,
    pin: null,
    needs: { images: false },
    budgetLeftUsd: null,
    task: { ...noTask, isQuestion, hasCheck: !isQuestion },
    trajectory: { ...emptyTrajectory, isGreen, wasGreenBefore: isGreen },
    trouble: null,
    now: 0,
  };
  return chooseModel(facts, discoverRules()).chosen?.info.where ?? 'local';
}
