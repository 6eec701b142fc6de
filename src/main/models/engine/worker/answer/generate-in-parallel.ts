import type { SequenceEvaluateOptions, Token } from 'node-llama-cpp';
import { createAnswerText } from './answer-text.ts';
import type { AnswerText } from './answer-text.ts';
import { endCall } from './generation-call.ts';
import type { GenerationCall, Decoding, GenerationContext } from './generation-call.ts';
import { commonPrefix } from '../sequences/choose-sequence.ts';
import { copyPrompt, decodeInParallel } from './decode-in-parallel.ts';
import type { ParallelAnswer } from './decode-in-parallel.ts';
import type { Engine } from '../load/load-model.ts';
import type { ParallelSequences } from '../sequences/parallel-sequences.ts';
import type { EngineRequest, Generation } from '../worker-protocol.ts';
import { cutTo } from '../sequences/prepare-sequence.ts';
import type { StateStore } from '../prompt/system-state-store.ts';
import { createTokenTaker } from './token-taker.ts';
import { noteFailure } from '../../../../lib/log.ts';

/**
 * Answers the request, and writes the answers with its next seeds at the same time. Null if there are no such seeds,
 * the answer has a required form, or there is no room. Then the request is answered alone, and the others when they
 * come.
 */
export async function generateInParallel(
  context: GenerationContext,
  { request, prompt, most }: Pick<Decoding, 'request' | 'prompt' | 'most'>,
  call: GenerationCall,
): Promise<Generation | null> {
  const { beside: places, states } = context.engine;
  const seeds = request.also ?? [];
  const isFree = request.output.type === 'text' && request.temperature > 0 && request.onlyPrompt !== true;
  if (seeds.length === 0 || !isFree || places === null || states === null) return null;
  const beside = await places.open({ count: seeds.length + 1, tokens: prompt.tokens.length + most });
  if (beside === null) return null;
  try {
    await readTogether(context, beside, prompt.tokens, call);
    if (call.signal.aborted) return endCall(call.account, 'cancelled', null);
    const path = await copied(beside, states);
    if (path === null) return null;
    return await sing(context, { request, seeds, most, beside, path, last: prompt.tokens.slice(-1) }, call);
  } finally {
    beside.release();
  }
}

/** Lets the first sequence read the prompt except its last token. It reuses what it has read before. */
async function readTogether(
  { engine, counters }: GenerationContext,
  { sequences: [first] }: ParallelSequences,
  tokens: readonly Token[],
  { account, emit, signal }: GenerationCall,
): Promise<void> {
  if (first === undefined) return;
  const end = tokens.length - 1;
  account.prefillStartedAt = performance.now();
  engine.threads.rest();
  await cutTo(first, tokens, end);
  const from = first.nextTokenIndex;
  const known = engine.slots.map(({ sequence }) => commonPrefix(sequence.contextTokens, tokens));
  counters.promptTokens += tokens.length;
  counters.evaluatedTokens += tokens.length - from;
  counters.evaluatedAgain += Math.max(0, Math.min(end, Math.max(...known)) - from);
  for (let at = from; at < end && !signal.aborted; at += engine.chunkTokens) {
    const piece = tokens.slice(at, Math.min(end, at + engine.chunkTokens));
    await first.evaluateWithoutGeneratingNewTokens([...piece]);
    account.evaluatedTokens += piece.length;
    emit.progress(at + piece.length - from, tokens.length - from);
    engine.threads.tick();
  }
  account.evaluatedTokens += 1;
}

/** The file path for copies. Null: the disk has no room. */
async function copied(beside: ParallelSequences, states: StateStore): Promise<string | null> {
  try {
    const path = await states.temporary();
    await copyPrompt(beside, path);
    return path;
  } catch (error) {
    // Without a copy, the prompt is read again for each answer.
    noteFailure('engine: a prompt was not shared between answers', error);
    return null;
  }
}

async function sing(
  { engine, ready }: GenerationContext,
  parts: {
    readonly request: EngineRequest;
    readonly seeds: readonly number[];
    readonly most: number;
    readonly beside: ParallelSequences;
    readonly path: string;
    readonly last: readonly Token[];
  },
  { account, answer, signal }: GenerationCall,
): Promise<Generation> {
  const { request, seeds, most, beside, path, last } = parts;
  const first = voiceOf(request, { seed: request.seed, answer, most });
  const others = seeds.map((seed) => {
    const own = unheard(engine, request);
    return { seed, answer: own, voice: voiceOf(request, { seed, answer: own, most }) };
  });
  const voices = [first, ...others.map(({ voice }) => voice)];
  await decodeInParallel(engine, beside, {
    voices,
    last,
    path,
    isStopped: () => signal.aborted,
    onStep: () => {
      account.firstTokenAt ??= performance.now();
      account.outputTokens = first.taker.tokens.length;
      account.decodedTokens = voices.reduce((sum, { taker }) => sum + Math.max(0, taker.tokens.length - 1), 0);
      engine.threads.tick();
    },
  });
  for (const { seed, answer: own, voice } of others) {
    const { stopReason, taker } = voice;
    if (stopReason !== null) ready.keep(request, seed, { text: own.shown, tokens: taker.tokens, stopReason });
  }
  return endCall(account, first.stopReason ?? 'cancelled', null);
}

function voiceOf(
  request: EngineRequest,
  { seed, answer, most }: { readonly seed: number | null; readonly answer: AnswerText<Token>; readonly most: number },
): ParallelAnswer {
  return { taker: createTokenTaker(answer, most), sampling: freeSampling(request, seed), stopReason: null };
}

/** The text of an answer that is not shown yet. */
function unheard(engine: Engine, { stop }: EngineRequest): AnswerText<Token> {
  return createAnswerText<Token>({
    textOf: (tokens, before) => engine.model.detokenize(tokens, true, before),
    stops: stop,
    onText: () => undefined,
    now: () => 0,
    later: () => undefined,
  });
}

/** The sampling options for free text. */
export function freeSampling({ temperature, topP }: EngineRequest, wanted: number | null): SequenceEvaluateOptions {
  const seed = wanted === null ? Math.floor(Math.random() * 0x7fffffff) : Math.abs(Math.trunc(wanted)) % 0x7fffffff;
  // The engine keeps the 40 likeliest tokens before top-p, as it does by default. That is cheaper than sorting the
  // vocabulary.
  return { temperature, topP, topK: 40, seed };
}
