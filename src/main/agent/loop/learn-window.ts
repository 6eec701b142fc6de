import type { StepError } from '../turn/turn.ts';
import { driverOf } from '../turn/decide-work.ts';
import type { Driver, TaskWork } from '../turn/task-work.ts';

/** A prompt that was refused is made this much shorter where the server does not say what it takes. */
const shorter = 0.6;

/**
 * Takes the context that a server names in its refusal for the model's own from here on. Where it names none, or none
 * that is smaller than known, this turn goes on with less than what was refused (`guessed`). Null: that would be
 * nothing.
 */
export async function learnWindow(
  work: TaskWork,
  { stage, model: own, reviewer }: Driver,
  refused: { readonly error: StepError; readonly promptTokens: number },
): Promise<{ readonly by: 'said' | 'guessed'; readonly driver: Driver } | null> {
  const { turn } = work;
  const { effects, models } = turn.dependencies;
  const { info } = own;
  const { promptTokens } = refused;
  const said = saidWindow(refused.error.message);
  const isSaid = said !== null && said < info.contextTokens;
  const contextTokens = isSaid ? said : Math.floor(Math.min(promptTokens, info.contextTokens) * shorter);
  if (contextTokens < leastTokens) return null;
  const smaller = { ...info, contextTokens };
  work.ways = work.ways.map((way) => (way.info.id === info.id ? { ...way, info: smaller } : way));
  if (work.current !== null) work.current = { ...work.current, info: smaller };
  if (isSaid && !effects.replaying) models.noteWindow(info.id, said);
  const text = isSaid
    ? `${info.label} takes ${said} tokens, not ${info.contextTokens}: its server said so. The request is made again, shorter.`
    : `${info.label} refused a prompt of about ${promptTokens} tokens without saying what it takes. The request is made again, shorter.`;
  const code = isSaid ? 'window-learned' : 'window-guessed';
  await turn.log.append({ type: 'notice-added', level: 'info', code, text });
  // A small context may need the short form of the prompt, with fewer tools.
  return {
    by: isSaid ? 'said' : 'guessed',
    driver: driverOf(work, { stage, reviewer, model: { ...own, info: smaller } }),
  };
}

/** How servers name the size of their context when they refuse a prompt. The number is the first group. */
const wordings: readonly RegExp[] = [
  // llama.cpp: "request (5000 tokens) exceeds the available context size (4096 tokens)", and the fields of its error.
  /context (?:size|length|window)\s*\(?(?:of |is |= ?)?(\d+)/iu,
  /\bn_ctx\b\W{1,4}(\d+)/iu,
  // OpenAI, vLLM: "This model's maximum context length is 4096 tokens."
  /maximum context length (?:is|of)\s*(\d+)/iu,
  // LM Studio: "the model is loaded with context length of only 4096 tokens"
  /context (?:size|length|window) of only (\d+)/iu,
  // Mistral: "too large for model with 32768 maximum context length"
  /(?<!\d)(\d{1,9}) maximum context length/iu,
  // Anthropic: "prompt is too long: 210000 tokens > 200000 maximum", "exceed context limit: 190000 + 20000 > 200000"
  /prompt is too long:? ?\(?\d+ tokens\)? ?> ?(\d+)/iu,
  /context limit: ?\d+(?: ?\+ ?\d+)? ?> ?(\d+)/iu,
  // Gemini: "exceeds the maximum number of tokens allowed (1048576)"
  /maximum number of (?:input )?tokens allowed \(?(\d+)/iu,
  // Text Generation Inference: "`inputs` tokens + `max_new_tokens` must be <= 4096"
  /max_new_tokens\W{0,3} must be <= ?(\d+)/iu,
  /\bcontext (?:limit )?(?:is|of|holds)(?: only)? (\d+)/iu,
  // "the maximum allowed length of 4096", "Range of input length should be [1, 30720]"
  /max(?:imum)?(?: allowed| input| prompt| sequence)+ length(?: is| of|:)? ?(\d+)/iu,
  /input length should be (?:in |within )?\[\d+, ?(\d+)\]/iu,
];

const leastTokens = 256;

/** The context that a server's refusal names, in tokens; null: none. */
export function saidWindow(message: string): number | null {
  const plain = message
    .slice(0, 2_000)
    .replaceAll(/(?<=\d)[,_.](?=\d{3}(?!\d))/gu, '')
    // Rounded down: "4k" may be 4,000 or 4,096.
    .replaceAll(/(?<![\w.])(\d{1,5}) ?k\b/giu, '$1000');
  for (const wording of wordings) {
    const tokens = Number(wording.exec(plain)?.[1] ?? Number.NaN);
    if (Number.isSafeInteger(tokens) && tokens >= leastTokens) return tokens;
  }
  return null;
}
