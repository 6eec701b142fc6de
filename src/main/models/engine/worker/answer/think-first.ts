import type { Token } from 'node-llama-cpp';
import type { Engine } from '../load/load-model.ts';
import { createAnswerText } from './answer-text.ts';
import type { Decoding, GenerationCall, GenerationContext } from './generation-call.ts';
import { freeSampling } from './generation-call.ts';
import { createTokenTaker } from './token-taker.ts';

/** With greedy sampling, thoughts go round in circles. Makers recommend 0.6 to 1. */
const leastTemperature = 0.6;
/** The least number of tokens that is left for the answer. */
const leastAnswerTokens = 64;

/**
 * Lets the model think until it ends its thoughts, or has used its budget. Then the thoughts are closed for it.
 * Thoughts have no required form; only the answer does. Returns the tokens to continue from, and the length limit of
 * the answer. After an abort, the result must not be used.
 */
export async function thinkFirst(
  { engine }: GenerationContext,
  { request, slot, last, most }: Decoding,
  { signal, emit, account }: GenerationCall,
): Promise<Pick<Decoding, 'last' | 'most'>> {
  const thoughts = engine.template.type === 'own' ? engine.template.renderer.thoughts : null;
  const budget = Math.min(request.thinking?.mostTokens ?? 0, most - leastAnswerTokens);
  if (thoughts === null || request.thinking === undefined) return { last, most };
  // The prompt has opened the thoughts, so they must be closed.
  if (budget <= 0) return { last: [...last, ...tokensOf(engine, thoughts.end)], most };
  const text = createAnswerText<Token>({
    textOf: (tokens, before) => engine.model.detokenize(tokens, true, before),
    stops: [thoughts.closing],
    onText: (shown, tokens) => emit.thought(shown, tokens),
    now: () => performance.now(),
    later: (work) => void setTimeout(work, 0),
  });
  const taker = createTokenTaker(text, budget);
  const sampling = freeSampling({ ...request, temperature: Math.max(leastTemperature, request.temperature) });
  let ended: ReturnType<typeof taker.push> = null;
  for await (const token of slot.sequence.evaluate([...last], sampling)) {
    account.firstTokenAt ??= performance.now();
    engine.threads.tick();
    ended = taker.push(token);
    account.thoughtTokens = account.outputTokens = taker.tokens.length;
    if (ended !== null || signal.aborted) break;
  }
  // If the model ended by itself, there is no unread token.
  const unread = ended === null ? [] : taker.tokens.slice(-1);
  if (ended === null) taker.end();
  const rest = ended === 'stop-sequence' ? thoughts.after : thoughts.end;
  return { last: [...unread, ...tokensOf(engine, rest)], most: most - taker.tokens.length };
}

function tokensOf(engine: Engine, text: string): readonly Token[] {
  return text === '' ? [] : engine.model.tokenize(text, true);
}
