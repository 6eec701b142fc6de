import type { ProbeCard } from '@shared/models/probe-card.ts';
import type { RecipeContext } from '../define.ts';
import { decodePerSecond, fillerLine, prefillPerSecond } from './probe-measures.ts';

/** The third prompt is as long as this many seconds allow: a processor may read only forty tokens per second. */
const longestPrefillSeconds = 8;
const mostTokens = 2_048;
const leastLongTokens = 640;

export interface SpeedResult {
  readonly speeds: ProbeCard['speeds'];
  /** Tokens per filler line, by the engine's own count. */
  readonly tokensPerLine: number;
  readonly backend: string | undefined;
}

/** Three prompts of growing length, each new to the engine. */
export async function probeSpeeds(context: RecipeContext): Promise<SpeedResult> {
  let tokensPerLine = (await context.model.countTokens(fillerLine(0, 100))) + 1;
  const speeds: ProbeCard['speeds'] = [];
  let backend: string | undefined;
  // The first call also loads the model, but its prompt is then read at the usual speed.
  for (const [series, wanted] of [128, 384, null].entries()) {
    const tokens = wanted ?? longest(context.model, speeds);
    const count = Math.max(1, Math.floor(Math.min(tokens, context.model.info.contextTokens - 160) / tokensPerLine));
    const lines = Array.from({ length: count }, (_, index) => fillerLine(series, index)).join('\n');
    const answer = await context.model.call({
      purpose: 'answer',
      label: `benchmark: read ${tokens} tokens`,
      system: 'You answer shortly.',
      user: `${lines}\nCount from 1 to 30, with commas.`,
      temperature: 0,
      maxOutputTokens: 48,
    });
    if (!answer.ok) break;
    const { measured } = answer;
    backend = measured.backend;
    // The frame of the template and the question take about forty tokens.
    tokensPerLine = Math.max(1, (measured.promptTokens - 40) / count);
    speeds.push({
      promptTokens: measured.promptTokens,
      prefillPerSecond: prefillPerSecond(measured),
      decodePerSecond: decodePerSecond(measured),
    });
  }
  return { speeds, tokensPerLine, backend };
}

function longest({ info }: RecipeContext['model'], speeds: ProbeCard['speeds']): number {
  const rate = speeds.at(-1)?.prefillPerSecond ?? null;
  const most = Math.min(mostTokens, Math.floor(info.contextTokens / 2));
  return rate === null ? most : Math.max(leastLongTokens, Math.min(most, Math.floor(rate * longestPrefillSeconds)));
}
