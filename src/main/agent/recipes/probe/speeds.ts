import type { ProbeCard } from '@shared/probe-card.ts';
import type { RecipeContext } from '../define.ts';
import { decodePerSecond, fillerLine, prefillPerSecond } from './facts.ts';

/** The third length is as long as this many seconds allow: a processor may read forty tokens a second. */
const longestPrefillSeconds = 8;
const mostTokens = 2_048;

/** Three prompts of growing length, each new to the engine. */
export async function probeSpeeds(context: RecipeContext): Promise<ProbeCard['speeds']> {
  const speeds: ProbeCard['speeds'] = [];
  // The first call loads the model; its prompt is then read at the usual speed.
  for (const [series, wanted] of [128, 384, null].entries()) {
    const tokens = wanted ?? longest(context, speeds);
    const lines = await fillerOf(context, series, Math.min(tokens, context.model.contextTokens - 160));
    const answer = await context.call({
      purpose: 'answer',
      label: `probe: read ${tokens} tokens`,
      system: 'You answer shortly.',
      user: `${lines}\nCount from 1 to 30, with commas.`,
      temperature: 0,
      maxOutputTokens: 48,
    });
    if (!answer.ok) break;
    const { measured } = answer;
    speeds.push({
      promptTokens: measured.promptTokens,
      prefillPerSecond: prefillPerSecond(measured),
      decodePerSecond: decodePerSecond(measured),
    });
  }
  return speeds;
}

function longest({ model }: RecipeContext, speeds: ProbeCard['speeds']): number {
  const rate = speeds.at(-1)?.prefillPerSecond ?? null;
  const most = Math.min(mostTokens, Math.floor(model.contextTokens / 2));
  return rate === null ? most : Math.max(512, Math.min(most, Math.floor(rate * longestPrefillSeconds)));
}

async function fillerOf(context: RecipeContext, series: number, tokens: number): Promise<string> {
  const perLine = (await context.countTokens(fillerLine(series, 100))) + 1;
  return Array.from({ length: Math.max(1, Math.floor(tokens / perLine)) }, (_, index) =>
    fillerLine(series, index),
  ).join('\n');
}
