import { rm } from 'node:fs/promises';
import type { LlamaContextSequence, Token } from 'node-llama-cpp';
import { chooseSequence, commonPrefix } from './choose-sequence.ts';
import type { Engine } from '../load/load-model.ts';
import type { ConversationSlot } from './conversation-slots.ts';
import type { EngineStats } from '../worker-protocol.ts';
import type { TokenizedPrompt } from '../prompt/tokenize-chat.ts';
import { noteFailure, orNoted } from '../../../../lib/log.ts';

/** Computing a shorter beginning is faster than copying it. */
const leastCopiedTokens = 16;

/** A shorter system message is read together with what follows it, at almost no cost. */
const leastStateTokens = 64;

/**
 * How many tokens can be copied in the time that one takes to compute. A copy writes and reads the whole other
 * sequence. On a processor, a token takes about 12 ms to compute and 0.05 ms to copy. On a card, the difference is
 * smaller.
 */
const copiedPerComputed = { cpu: 200, gpu: 8 } as const;

export type Counters = { -readonly [Name in Exclude<keyof EngineStats, 'rssBytes'>]: number };

/**
 * Chooses the place for a prompt and fills it with the longest known beginning of the prompt, from a sequence or
 * from a state on the disk. At least the last token of the prompt remains to be computed.
 */
export async function prepareSequence(
  engine: Engine,
  prompt: TokenizedPrompt,
  key: string,
  counters: Counters,
): Promise<ConversationSlot> {
  const holders = engine.slots.map((slot) => ({
    key: slot.key,
    usedAt: slot.usedAt,
    tokens: slot.sequence.contextTokens,
  }));
  const choice = chooseSequence(holders, prompt.tokens, key);
  const slot = engine.slots[choice.index];
  if (slot === undefined) throw new Error('There is no sequence.');
  slot.key = key;
  slot.usedAt = Math.max(...holders.map((holder) => holder.usedAt)) + 1;
  const source = choice.type === 'take' && choice.from !== null ? engine.slots[choice.from] : undefined;
  if (choice.type === 'take') await fill(engine, { slot, source, kept: choice.kept, prompt, counters });
  else if (choice.kept < prompt.systemTokens)
    await loadSystemState(engine, slot.sequence, { prompt, counters, than: choice.kept });
  await cutTo(slot.sequence, prompt.tokens, prompt.tokens.length - 1);
  const kept = slot.sequence.nextTokenIndex;
  counters.promptTokens += prompt.tokens.length;
  counters.evaluatedTokens += prompt.tokens.length - kept;
  counters.evaluatedAgain += Math.max(0, Math.min(choice.kept, prompt.tokens.length - 1) - kept);
  return slot;
}

async function fill(
  engine: Engine,
  {
    slot,
    source,
    kept,
    prompt,
    counters,
  }: {
    slot: ConversationSlot;
    source: ConversationSlot | undefined;
    kept: number;
    prompt: TokenizedPrompt;
    counters: Counters;
  },
): Promise<void> {
  if (slot.sequence.nextTokenIndex > 0) await slot.sequence.clearHistory();
  if (await loadSystemState(engine, slot.sequence, { prompt, counters, than: kept })) return;
  if (source === undefined || engine.states === null) return;
  const dearest = copiedPerComputed[engine.info.backend === 'cpu' ? 'cpu' : 'gpu'];
  if (kept < leastCopiedTokens || kept * dearest < source.sequence.nextTokenIndex) return;
  // Without a place for the copy, the prompt is computed.
  const path = await engine.states.temporary().catch(orNoted('engine: no room for a kept prompt', null));
  if (path === null) return;
  try {
    await copySequence(source.sequence, slot.sequence, path);
    counters.forks += 1;
  } catch (error) {
    // The disk is full, so the shared part is computed.
    noteFailure('engine: a shared prompt was not kept', error);
    await slot.sequence.clearHistory();
  }
}

/** Copies what one sequence has read to another of its context. Throws if the disk is full. Leaves no file. */
async function copySequence(from: LlamaContextSequence, to: LlamaContextSequence, path: string): Promise<void> {
  try {
    await from.saveStateToFile(path);
    await to.loadStateFromFile(path, { acceptRisk: true });
  } finally {
    await rm(path, { force: true });
  }
}

/**
 * Loads the state of the system message if it is longer than `than`. Returns false if there is none, or if it cannot
 * be loaded. After a failed load, the sequence is empty.
 */
async function loadSystemState(
  engine: Engine,
  sequence: LlamaContextSequence,
  { prompt, counters, than }: { prompt: TokenizedPrompt; counters: Counters; than: number },
): Promise<boolean> {
  if (engine.states === null || prompt.systemTokens < leastStateTokens || prompt.systemTokens <= than) return false;
  const path = await engine.states.find(prompt.tokens.slice(0, prompt.systemTokens));
  if (path === null) return false;
  try {
    await sequence.clearHistory();
    await sequence.loadStateFromFile(path, { acceptRisk: true });
    counters.statesLoaded += 1;
    return true;
  } catch (error) {
    // A state that cannot be loaded only costs time, because the prompt is computed.
    noteFailure('engine: a kept prompt was not loaded', error);
    await sequence.clearHistory();
    return false;
  }
}

/** Erases everything that is not a beginning of the prompt, and everything beyond `most` tokens. */
async function cutTo(sequence: LlamaContextSequence, tokens: readonly Token[], most: number): Promise<void> {
  const end = sequence.nextTokenIndex;
  const start = Math.min(most, commonPrefix(sequence.contextTokens, tokens));
  if (start < end) await sequence.eraseContextTokenRanges([{ start, end }]);
}

/** Whether the state of the system message should be kept on the disk, and is not there yet. */
export async function wantsSystemState({ states }: Pick<Engine, 'states'>, prompt: TokenizedPrompt): Promise<boolean> {
  const { tokens, systemTokens } = prompt;
  if (states === null || systemTokens < leastStateTokens || tokens.length <= systemTokens) return false;
  return (await states.find(tokens.slice(0, systemTokens))) === null;
}

/**
 * Keeps the state of the system message on the disk. Call it when the sequence holds exactly that, and
 * `wantsSystemState` is true.
 */
export async function keepSystemState(
  engine: Engine,
  slot: ConversationSlot,
  prompt: TokenizedPrompt,
  counters: Counters,
): Promise<void> {
  const tokens = prompt.tokens.slice(0, prompt.systemTokens);
  if (await engine.states?.keep(tokens, (path) => slot.sequence.saveStateToFile(path))) counters.statesSaved += 1;
}
