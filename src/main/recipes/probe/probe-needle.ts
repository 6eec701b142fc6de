import type { ProbeCard } from '@shared/models/probe-card.ts';
import type { RecipeContext } from '../define.ts';
import { fillerLine } from './probe-measures.ts';

/** A context that takes longer to fill is tested only as far as this many seconds allow, and the card says so. */
const longestSeconds = 25;
const secret = '7391';
/** Room for the question, the frame of the template and the answer. */
const besideTokens = 160;

export interface NeedleResult {
  readonly needle: ProbeCard['needle'];
  readonly note: string | null;
}

/** The fact comes first, because an engine that overflows silently drops the beginning. */
export async function probeNeedle(
  context: RecipeContext,
  { prefill, tokensPerLine }: { readonly prefill: number | null; readonly tokensPerLine: number },
): Promise<NeedleResult> {
  const whole = context.model.info.contextTokens - besideTokens;
  const allowed = prefill === null ? whole : Math.floor(prefill * longestSeconds);
  const tokens = Math.min(whole, allowed);
  let refused = '';
  // Longer numbers take more tokens than the first lines did. A prompt that is too long is refused before anything is
  // computed.
  for (const share of [0.97, 0.88]) {
    const count = Math.max(1, Math.floor((tokens * share) / tokensPerLine));
    const lines = Array.from({ length: count }, (_, index) => fillerLine(9, index));
    const answer = await context.model.call({
      purpose: 'answer',
      label: `benchmark: recall text from ${tokens} tokens back`,
      system: 'You answer from what you were told.',
      user: `The number of the safe is ${secret}.\n${lines.join('\n')}\nWhat is the number of the safe? Answer with the number only.`,
      temperature: 0,
      maxOutputTokens: 24,
    });
    if (answer.ok) {
      const { promptTokens } = answer.measured;
      const note = `Of a window of ${context.model.info.contextTokens} tokens ${promptTokens} were tried: more would take longer than ${longestSeconds} seconds to read.`;
      const needle = { promptTokens, isFound: answer.text.includes(secret) };
      return { needle, note: allowed >= whole ? null : note };
    }
    refused = answer.message;
  }
  return { needle: null, note: `The end of the window was not tried: ${refused}` };
}
