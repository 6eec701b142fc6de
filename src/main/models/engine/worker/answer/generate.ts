import type { LlamaGrammarEvaluationState, SequenceEvaluateOptions, Token } from 'node-llama-cpp';
import { createAnswerText } from './answer-text.ts';
import { openAccount, endCall, freeSampling } from './generation-call.ts';
import type { GenerationCall, Decoding, Emit, GenerationContext } from './generation-call.ts';
import { createByteGuard } from '../grammar/byte-guard.ts';
import type { ByteGuard } from '../grammar/byte-guard.ts';
import { grammarForChoice, grammarForSchema } from '../grammar/json-schema-grammar.ts';
import type { Engine } from '../load/load-model.ts';
import { explainError } from '../explain-engine-error.ts';
import type { ConversationSlot } from '../sequences/conversation-slots.ts';
import { keepSystemState, prepareSequence, wantsSystemState } from '../sequences/prepare-sequence.ts';
import type { EngineOutput, EngineRequest, Generation } from '../worker-protocol.ts';
import { thinkFirst } from './think-first.ts';
import { createTokenTaker } from './token-taker.ts';
import { tokenizeChat } from '../prompt/tokenize-chat.ts';
import type { TokenizedPrompt } from '../prompt/tokenize-chat.ts';
import { toolCallSchema } from '../grammar/tool-call-schema.ts';
import { orNoted } from '../../../../lib/log.ts';

/** By then, the threads of a native call have started. The call itself takes longer. */
const underWayMs = 2;

export interface RunningGeneration {
  /** The result if the call were cancelled now. It includes what is being computed. */
  cancelled(): Generation;
  /** Resolves when the engine is free again. After an abort, that can be one native call later. Never rejects. */
  readonly done: Promise<Generation>;
}

export function startGeneration(
  context: GenerationContext,
  request: EngineRequest,
  signal: AbortSignal,
  emit: Emit,
): RunningGeneration {
  const account = openAccount();
  const answer = createAnswerText<Token>({
    textOf: (tokens, before) => context.engine.model.detokenize(tokens, true, before),
    stops: request.stop,
    onText: (text, tokens) => emit.delta(text, tokens),
    now: () => performance.now(),
    // After the end of a call, everything has been shown and the model may be unloaded.
    later: (work) => void setTimeout(() => (account.endedAt === null ? work() : undefined), underWayMs),
  });
  return {
    cancelled: () => {
      answer.show();
      return endCall(account, 'cancelled', null);
    },
    done: run(context, request, { signal, emit, account, answer })
      .catch(async (error: unknown) => {
        answer.show();
        account.endedAt ??= performance.now();
        return endCall(account, 'error', await explainError(error, context.log));
      })
      // Taken after every call, even an abandoned one, so that the counts of the next call start at zero.
      .then(async (generation) => ({ ...generation, ...(await countedOf(context.engine)) })),
  };
}

async function countedOf(engine: Engine): Promise<Pick<Generation, 'counted'>> {
  // Counts are optional. Without them, they are unknown.
  const counted = await engine.takeCounts().catch(orNoted('engine: the times of an answer were not counted', null));
  return counted === null ? {} : { counted };
}

async function run(context: GenerationContext, request: EngineRequest, call: GenerationCall): Promise<Generation> {
  const { engine } = context;
  if (request.output.type !== 'text' && request.prefill !== null && request.prefill !== '') {
    return endCall(call.account, 'error', {
      code: 'bad-request',
      message: 'An answer in a fixed form cannot begin with a given text.',
    });
  }
  if (request.thinking !== undefined && !(engine.template.type === 'own' && engine.template.renderer.thoughts)) {
    return endCall(call.account, 'error', {
      code: 'bad-request',
      message: 'The chat template of this model could not be read, so thinking cannot be switched on. Switch it off.',
    });
  }
  engine.threads.slow(request.isSlow === true);
  const prompt = tokenizeChat(engine, context.memory, request);
  call.account.promptTokens = prompt.tokens.length;
  // One cell always stays free. In a full context, the engine would make room by itself.
  const room = engine.contextTokens - 1 - prompt.tokens.length;
  if (room < Math.min(request.maxOutputTokens, 32)) {
    return endCall(call.account, 'error', {
      code: 'context-full',
      message: `The prompt has ${prompt.tokens.length} tokens. The context of this model holds ${engine.contextTokens}, for prompt and answer together.`,
    });
  }
  const most = Math.min(request.maxOutputTokens, room);
  const grammar = grammarStateFor(engine, request.output);
  const slot = await prepareSequence(engine, prompt, request.cacheKey, context.counters);
  if (call.signal.aborted) return endCall(call.account, 'cancelled', null);
  const last = await prefill(context, { slot, prompt }, call);
  if (last === null) return endCall(call.account, 'cancelled', null);
  if (request.onlyPrompt === true) {
    // The last token is not read, because the next call computes it again in any case.
    const rest = last.slice(0, -1);
    if (rest.length > 0) await slot.sequence.evaluateWithoutGeneratingNewTokens([...rest]);
    return endCall(call.account, 'stop', null);
  }
  const decoding = { request, prompt, slot, last, grammar, most };
  const thought = await thinkFirst(context, decoding, call);
  return call.signal.aborted
    ? endCall(call.account, 'cancelled', null)
    : decode(context, { ...decoding, ...thought }, call);
}

/**
 * Computes the prompt except its last piece, which is returned: the first token is sampled from it. Null after an
 * abort.
 */
async function prefill(
  { engine, counters }: GenerationContext,
  { slot, prompt }: { readonly slot: ConversationSlot; readonly prompt: TokenizedPrompt },
  call: GenerationCall,
): Promise<readonly Token[] | null> {
  const { signal, account } = call;
  const { sequence } = slot;
  const from = sequence.nextTokenIndex;
  const total = prompt.tokens.length - from;
  account.prefillStartedAt = performance.now();
  // Stopping after the system message costs one more native call, so it is done only to keep its state.
  const keepsSystem = from < prompt.systemTokens && (await wantsSystemState(engine, prompt));
  const beside = besidePieces(engine, call);
  let at = from;
  engine.threads.rest();
  while (!signal.aborted) {
    beside(at - from, total);
    let end = Math.min(prompt.tokens.length, at + engine.chunkTokens - (at % engine.chunkTokens));
    if (keepsSystem && at < prompt.systemTokens && end > prompt.systemTokens) end = prompt.systemTokens;
    const piece = prompt.tokens.slice(at, end);
    account.evaluatedTokens += piece.length;
    if (end === prompt.tokens.length) return piece;
    await sequence.evaluateWithoutGeneratingNewTokens([...piece]);
    at = end;
    if (keepsSystem && at === prompt.systemTokens) await keepSystemState(engine, slot, prompt, counters);
  }
  return null;
}

const holdProgressMs = 100;

/**
 * Call the returned function before each piece. It checks the processor and reports progress, at most ten times a
 * second. Both happen while the piece is computed, because work between two pieces would delay the first token.
 */
function besidePieces(engine: Engine, { emit, account }: GenerationCall): (done: number, total: number) => void {
  let toldAt = -holdProgressMs;
  return (done, total) => {
    const now = performance.now();
    const isTold = now - toldAt >= holdProgressMs;
    if (isTold) toldAt = now;
    setTimeout(() => {
      if (account.endedAt !== null) return;
      engine.threads.tick();
      if (isTold && account.firstTokenAt === null) emit.progress(done, total);
    }, underWayMs);
  };
}

async function decode(
  context: GenerationContext,
  decoding: Decoding,
  { signal, account, answer }: GenerationCall,
): Promise<Generation> {
  const { most } = decoding;
  const guard = decoding.grammar === null ? null : createByteGuard(context.engine);
  const taker = createTokenTaker(answer, most);
  for await (const { token, confidence } of sample(decoding, samplingOf(decoding, guard))) {
    if (confidence !== undefined) account.logprobs.push(Math.log(Math.max(confidence, Number.MIN_VALUE)));
    account.firstTokenAt ??= performance.now();
    context.engine.threads.tick();
    if (signal.aborted) return endCall(account, 'cancelled', null);
    guard?.push(token);
    const stopReason = taker.push(token);
    account.outputTokens = account.thoughtTokens + taker.tokens.length;
    if (stopReason !== null) return endCall(account, stopReason, null);
  }
  account.firstTokenAt ??= performance.now();
  const stopReason = taker.end();
  if (stopReason === 'stop') rememberAnswer(context, decoding, answer.shown, taker.tokens);
  return endCall(account, stopReason, null);
}

/** Asks for probabilities only for a choice, because they cost a fifth of the speed. */
function sample(
  { request, slot, last }: Decoding,
  options: SequenceEvaluateOptions,
): AsyncIterable<{ readonly token: Token; readonly confidence?: number }> {
  return request.output.type === 'choice'
    ? slot.sequence.evaluateWithMetadata([...last], { confidence: true }, options)
    : slot.sequence.evaluateWithMetadata([...last], {}, options);
}

/** Remembers the model's own tokens of this answer. The next prompt uses them, so that its sequence can continue. */
function rememberAnswer(
  { engine, memory }: GenerationContext,
  { prompt }: Decoding,
  text: string,
  output: readonly Token[],
): void {
  if (prompt.opening === null) return;
  const opening = memory.get(prompt.opening) ?? engine.model.tokenize(prompt.opening, false);
  memory.set(prompt.opening + text, [...opening, ...output]);
}

function samplingOf({ request, grammar }: Decoding, guard: ByteGuard | null): SequenceEvaluateOptions {
  const form =
    grammar === null
      ? {}
      : { grammarEvaluationState: grammar, ...(guard === null ? {} : { tokenBias: () => guard.bias() }) };
  return { ...freeSampling(request), ...form };
}

function grammarStateFor(engine: Engine, output: EngineOutput): LlamaGrammarEvaluationState | null {
  const text = grammarTextFor(output);
  if (text === null) return null;
  const grammar = new engine.library.LlamaGrammar(engine.llama, { grammar: text });
  return new engine.library.LlamaGrammarEvaluationState({ model: engine.model, grammar });
}

function grammarTextFor(output: EngineOutput): string | null {
  switch (output.type) {
    case 'text':
      return null;
    case 'json-schema':
      return grammarForSchema(output.schema);
    case 'choice':
      return grammarForChoice(output.options);
    case 'tool-call':
      return grammarForSchema(toolCallSchema(output.tools));
    default:
      return output satisfies never;
  }
}
