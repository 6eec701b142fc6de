import type { LlamaContextSequence, SequenceEvaluateOptions, Token } from 'node-llama-cpp';
import type { Engine } from '../load/load-model.ts';
import { rowsAtOnce, type ParallelSequences } from '../sequences/parallel-sequences.ts';
import { copySequence } from '../sequences/prepare-sequence.ts';
import type { Generation } from '../worker-protocol.ts';
import type { TokenTaker } from './token-taker.ts';

/** One of several answers to the same prompt. */
export interface ParallelAnswer {
  readonly taker: TokenTaker;
  readonly sampling: SequenceEvaluateOptions;
  stopReason: Generation['stopReason'] | null;
}

/** Copies what the first sequence has read to the others. Throws if the disk is full. */
export async function copyPrompt({ sequences: [first, ...others] }: ParallelSequences, path: string): Promise<void> {
  if (first !== undefined) await copySequence(first, others, path);
}

/** A sequence, and the answer that is written in it. */
interface Row {
  readonly sequence: LlamaContextSequence;
  readonly voice: ParallelAnswer;
  readonly tokens: AsyncGenerator<Token, void>;
  /** The last token, which is not yet read. */
  last: Token | null;
}

/**
 * Writes all answers at once, one token of each in every step. The weights are then read from memory once for all of
 * them, which takes most of the time of a token on a processor. Ends when every answer has ended or is cut, or when
 * `isStopped`.
 * @param last the end of the prompt that is not read yet
 * @param path a file for copies
 */
export async function decodeInParallel(
  engine: Engine,
  { sequences }: ParallelSequences,
  {
    voices,
    last,
    path,
    isStopped,
    onStep,
  }: {
    readonly voices: readonly ParallelAnswer[];
    readonly last: readonly Token[];
    readonly path: string;
    readonly isStopped: () => boolean;
    readonly onStep: () => void;
  },
): Promise<void> {
  let rows = voices.flatMap((voice, index): readonly Row[] => {
    const sequence = sequences[index];
    return sequence === undefined ? [] : [rowOf(sequence, voice, last)];
  });
  while (rows.some(isOpen) && !isStopped()) {
    // After a step, the library continues with the first request it gets and leaves the others for the next step.
    // Waiting here collects all of them.
    await new Promise((resolve) => void setImmediate(resolve));
    const next = await Promise.all(rows.map(({ tokens }) => tokens.next()));
    for (const [index, row] of rows.entries()) take(engine, row, next[index]);
    cutStragglers(voices);
    onStep();
    rows = await closeUp(rows, path);
  }
  await Promise.all(rows.map(({ tokens }) => tokens.return()));
}

const isOpen = ({ voice }: Row): boolean => voice.stopReason === null;

function rowOf(sequence: LlamaContextSequence, voice: ParallelAnswer, unread: readonly Token[]): Row {
  const tokens = sequence.evaluate([...unread], { ...voice.sampling, yieldEogToken: true });
  return { sequence, voice, tokens, last: null };
}

function take({ model }: Engine, row: Row, next: IteratorResult<Token, void> | undefined): void {
  const token = next === undefined || next.done === true ? null : next.value;
  row.last = token;
  const { voice } = row;
  if (voice.stopReason !== null) return;
  voice.stopReason = token === null || model.isEogToken(token) ? voice.taker.end() : voice.taker.push(token);
}

/**
 * Moves the open answers to the first rows once half of the rows would do. Only adjacent sequences are read in one
 * step, and rows are read in fours. Until then, answers that have ended continue unused.
 */
async function closeUp(rows: Row[], path: string): Promise<Row[]> {
  const count = Math.ceil(rows.filter(isOpen).length / rowsAtOnce) * rowsAtOnce;
  if (count === 0 || count * 2 > rows.length) return rows;
  const kept = rows.slice(0, count);
  const moving = rows.slice(count).filter(isOpen);
  for (const [index, row] of kept.entries()) {
    if (isOpen(row)) continue;
    const from = moving.shift();
    if (from === undefined) break;
    if (from.last !== null) {
      await copySequence(from.sequence, [row.sequence], path);
      await row.tokens.return();
      kept[index] = { ...rowOf(row.sequence, from.voice, [from.last]), last: from.last };
    }
  }
  await Promise.all(rows.slice(count).map(({ tokens }) => tokens.return()));
  return kept;
}

/**
 * Cuts an answer that is much longer than the others once three of four have ended, because all others wait for it.
 * The limit is generous: most answers often repeat the existing code, and one that adds to it is longer.
 */
export function cutStragglers(voices: readonly ParallelAnswer[]): void {
  const ended = voices.filter(({ stopReason }) => stopReason !== null);
  if (ended.length * 4 < voices.length * 3) return;
  const most = Math.max(...ended.map(({ taker }) => taker.tokens.length)) * 2 + 96;
  for (const voice of voices) {
    if (voice.stopReason !== null || voice.taker.tokens.length < most) continue;
    voice.taker.end();
    voice.stopReason = 'length';
  }
}
