import { textMessage } from '@shared/models/model-messages.ts';
import type { ModelRequest, Provider } from '../../src/main/models/providers/define.ts';
import { askAlone } from './ask-alone.ts';
import { plainRequest } from './plain-request.ts';
import type { BenchRow } from './rows.ts';
import { median } from './statistics.ts';

const rounds = 3;
const answerTokens = 64;
const counts = [4, 8, 16] as const;

/** Sampled answers to one prompt: tokens a second of one answer alone, and of several that are written side by side. */
export async function sideBySideRows(provider: Provider): Promise<readonly BenchRow[]> {
  // Loads the model, and reads the prompt of each form for the first time.
  for (const count of [1, 16]) await speedOf(provider, count, 0);
  const alone: number[] = [];
  const together = new Map<number, number[]>(counts.map((count) => [count, []]));
  for (let round = 1; round <= rounds; round += 1) {
    alone.push(await speedOf(provider, 1, round));
    for (const count of counts) together.get(count)?.push(await speedOf(provider, count, round));
  }
  const single = median(alone) ?? 0;
  return counts.map((count) => {
    const speed = median(together.get(count) ?? []) ?? 0;
    return {
      figure: `${count} answers side by side, tokens a second against one alone`,
      value: speed / single,
      unit: 'times',
      target: null,
      note: `${speed.toFixed(1)} and ${single.toFixed(1)} tokens a second, median of ${rounds}`,
    };
  });
}

/** Decoding only. The time of the first answer counts as the time of all. */
async function speedOf(provider: Provider, count: number, round: number): Promise<number> {
  const seeds = Array.from({ length: count }, (_, index) => round * 100 + index + 1);
  const { timings } = (await askAlone(provider, { ...request, seed: seeds[0] ?? null, also: seeds.slice(1) })).ended;
  return ((timings.decodeTokens ?? 0) * 1000) / (timings.decodeMs ?? Infinity);
}

const request: ModelRequest = plainRequest(
  [textMessage('user', `${'A keeper writes down how long the lamp burns. '.repeat(40)}\nGo on with a long story.`)],
  { temperature: 0.8, cacheKey: 'side', maxOutputTokens: answerTokens },
);
