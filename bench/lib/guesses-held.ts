import { readFileSync } from 'node:fs';
import { z } from 'zod';
import { guessedNeed } from '@shared/money/usual-task.ts';
import { costOf, type Price } from '@shared/money/token-cost.ts';
import { type Held, type Pair, pairPrice } from './pair-figures.ts';

const publishedSchema = z.object({
  tasks: z.array(z.object({ model: z.string(), promptTokens: z.number(), outputTokens: z.number() })),
});

/** Usual prices of a strong model, in US dollars a million tokens. */
const strongPrice: Price = { input: 3, output: 15, source: 'bench', date: '2026-11-28' };

/** The guess for a home without a record, beside what other people's models used for a repair with failing tests. */
export function publishedHeld(path = 'bench/data/published-tokens.json'): readonly Held[] {
  const { tasks } = publishedSchema.parse(JSON.parse(readFileSync(path, 'utf8')));
  const said = guessedNeed('repair', strongPrice, []);
  return tasks.map(({ model, promptTokens: freshInput, outputTokens: output }) => {
    const usage = { freshInput, output, cacheRead: 0, cacheWrite: 0, reasoning: 0, estimated: false };
    return { task: model, ...said, real: costOf(usage, strongPrice) ?? 0 };
  });
}

/** The same guess beside the recorded runs in the cloud. A recipe drove them, which is cheaper than a loop. */
export function guessesHeldOf(pairs: readonly Pair[]): readonly Held[] {
  const price: Price = { ...pairPrice, source: 'settings', date: '2026-11-22' };
  return pairs.flatMap(({ task, cloud }) => {
    const said = guessedNeed(cloud.kind === 'question' ? 'question' : 'repair', price, []);
    return cloud.costUsd === 0 ? [] : [{ task, ...said, real: cloud.costUsd }];
  });
}
