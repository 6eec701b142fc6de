import type { Token } from 'node-llama-cpp';
import type { Engine } from '../load/load-model.ts';
import { createAnswerText } from './answer-text.ts';
import type { Decoding, GenerationCall, GenerationContext } from './generation-call.ts';
import { freeSampling } from './generate-in-parallel.ts';
import { createTokenTaker } from './token-taker.ts';

/** The most likely word each time is how thoughts go round in circles; makers advise 0.6 to 1. */
const leastTemperature = 0.6;
/** What an answer gets at least beside its thoughts. */
const leastAnswerTokens = 64;

/**
 * Lets the model think until it closes its thoughts, or has had its tokens: then they are closed for it. Free of any form,
 * which holds for the answer alone. Says from which tokens that is sampled, and how long it may be; after an abort, nothing
 * that may be used.
 */
export async function thinkFirst(
  { engine }: GenerationContext,
  { request, slot, last, most }: Decoding,
  { signal, emit, account }: GenerationCall,
): Promise<Pick<Decoding, 'last' | 'most'>> {
  const thoughts = engine.template.type === 'own' ? engine.template.renderer.thoughts : null;
  const budget = Math.min(request.thinking?.mostTokens ?? 0, most - leastAnswerTokens);
  if (thoughts === null || request.thinking === undefined) return { last, most };
  // Its prompt has opened them.
  if (budget <= 0) return { last: [...last, ...tokensOf(engine, thoughts.end)], most };
  const text = createAnswerText<Token>({
    textOf: (tokens, before) => engine.model.detokenize(tokens, true, before),
    stops: [thoughts.closing],
    onText: (shown, tokens) => emit.thought(shown, tokens),
    now: () => performance.now(),
    later: (work) => void setTimeout(work, 0),
  });
  const taker = createTokenTaker(text, budget);
  const sampling = freeSampling(
    { ...request, temperature: Math.max(leastTemperature, request.temperature) },
    request.seed,
  );
  let ended: ReturnType<typeof taker.push> = null;
  for await (const token of slot.sequence.evaluate([...last], sampling)) {
    account.firstTokenAt ??= performance.now();
    engine.threads.tick();
    ended = taker.push(token);
    account.thoughtTokens = account.outputTokens = taker.tokens.length;
    if (ended !== null || signal.aborted) break;
  }
  // The model may have said that this is all: then nothing of it waits to be read.
  const unread = ended === null ? [] : taker.tokens.slice(-1);
  if (ended === null) taker.end();
  const rest = ended === 'stop-sequence' ? thoughts.after : thoughts.end;
  return { last: [...unread, ...tokensOf(engine, rest)], most: most - taker.tokens.length };
}

function tokensOf(engine: Engine, text: string): readonly Token[] {
  return text === '' ? [] : engine.model.tokenize(text, true);
}
