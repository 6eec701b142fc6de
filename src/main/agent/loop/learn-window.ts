import { roomForAttached } from '../prompt/attached-parts.ts';
import type { StepError } from '../turn/turn.ts';
import type { LoopCandidates } from './loop-candidates.ts';

/**
 * Takes the context that a server names in its refusal for the model's own from here on. False: it names none, or none
 * that is smaller than known.
 */
export async function learnWindow(candidates: LoopCandidates, error: StepError): Promise<boolean> {
  const { turn, current } = candidates;
  const { config, effects, noteWindow } = turn.dependencies;
  const { info } = current.model;
  const said = (config.conduct ?? 1) >= 7 ? saidWindow(error.message) : null;
  if (said === null || said >= info.contextTokens) return false;
  const smaller = { ...info, contextTokens: said };
  const shape = { ...current.shape, roomForAttached: roomForAttached(smaller) };
  const now = { ...current, shape, model: { ...current.model, info: smaller } };
  candidates.all = candidates.all.map((one) => (one === current ? now : one));
  candidates.current = now;
  if (!effects.replaying) noteWindow?.(info.id, said);
  const text = `${info.label} takes ${said} tokens, not ${info.contextTokens}: its server said so. The request is made again, shorter.`;
  await turn.log.append({ type: 'notice-added', level: 'info', code: 'window-learned', text });
  return true;
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
];

const leastTokens = 256;

/** The context that a server's refusal names, in tokens; null: none. */
export function saidWindow(message: string): number | null {
  const plain = message.slice(0, 2_000).replaceAll(/(?<=\d)[,_](?=\d{3}(?!\d))/gu, '');
  for (const wording of wordings) {
    const tokens = Number(wording.exec(plain)?.[1] ?? Number.NaN);
    if (Number.isSafeInteger(tokens) && tokens >= leastTokens) return tokens;
  }
  return null;
}
