import type { Part } from '@shared/models/model-messages.ts';

type Image = Pick<Extract<Part, { type: 'image' }>, 'width' | 'height'>;

/** Assumed for an image of unknown size. */
const USUAL_SIDE = 1568;

/**
 * Estimates the tokens of an image, on the safe side: the highest count that any current service documents for this
 * size. Small images count by area (Anthropic's documentation: one token for 750 pixels; OpenAI's tiles of 512 by
 * 512 and Gemini's of 768 by 768 come to less), up to the maximum of all services. A model
 * of this machine scales larger images down to `most`.
 */
export function imageTokens(
  { width = USUAL_SIDE, height = USUAL_SIDE }: Image,
  model: string,
  most: number = MOST_TOKENS,
): number {
  // This model multiplies its image tokens, so that an image costs the same as with its larger sibling.
  if (model.includes('gpt-4o-mini')) return 2833 + 5667 * tilesOf(width, height);
  const byArea = Math.ceil((width * height) / 750);
  return Math.min(most, Math.max(LEAST_TOKENS, byArea, 85 + 170 * tilesOf(width, height)));
}

const LEAST_TOKENS = 260;
const MOST_TOKENS = 4800;

/** The image is scaled to fit 2048 by 2048 and then to a shorter side of 768, as OpenAI's documentation says. */
function tilesOf(width: number, height: number): number {
  const fit = Math.min(1, 2048 / Math.max(width, height));
  const short = Math.min(1, 768 / (Math.min(width, height) * fit));
  const scale = fit * short;
  return Math.ceil((width * scale) / 512) * Math.ceil((height * scale) / 512);
}
