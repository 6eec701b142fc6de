import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { LlamaContextSequence, SequenceEvaluateOptions, Token } from 'node-llama-cpp';
import {
  copyPrompt,
  cutStragglers,
  decodeInParallel,
  type ParallelAnswer,
} from '../../../../../../src/main/models/engine/worker/answer/decode-in-parallel.ts';
import type { Engine } from '../../../../../../src/main/models/engine/worker/load/load-model.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'dewpoint-rows-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const end = 0 as Token;
const engine = { model: { isEogToken: (token: Token) => token === end } } as unknown as Engine;

/** Writes `seed * 1000 + place` at each place, and ends after `seed` tokens. */
function fakeSequence(prompt: number, steps: number[]): LlamaContextSequence {
  let read: number[] = Array.from({ length: prompt }, () => 1);
  async function* evaluate(unread: readonly Token[], { seed = 0 }: SequenceEvaluateOptions): AsyncGenerator<Token> {
    let next = [...unread];
    for (;;) {
      read.push(...next);
      steps.push(seed);
      await Promise.resolve();
      const place = read.length - prompt;
      const token = (place > seed ? end : seed * 1000 + place) as Token;
      yield token;
      next = [token];
    }
  }
  const fake = {
    evaluate,
    saveStateToFile: (path: string) => writeFile(path, JSON.stringify(read)),
    loadStateFromFile: async (path: string) => {
      read = JSON.parse(await readFile(path, 'utf8'));
    },
  };
  return fake as unknown as LlamaContextSequence;
}

function voice(seed: number): ParallelAnswer & { readonly said: number[] } {
  const said: number[] = [];
  const taker = {
    push: (token: Token) => {
      said.push(token);
      return null;
    },
    end: () => 'stop' as const,
    get tokens() {
      return said as Token[];
    },
  };
  return { taker, sampling: { seed }, stopReason: null, said };
}

it('every answer goes on where it was, also after those that have ended made room', async () => {
  // The long answers are last, so that they have to move up.
  const lengths = [3, 4, 5, 6, 7, 8, 9, 10, 5, 6, 7, 8, 11, 12, 13, 14];
  const steps: number[] = [];
  const sequences = lengths.map(() => fakeSequence(20, steps));
  const voices = lengths.map(voice);
  const rows: number[] = [];
  await decodeInParallel(
    engine,
    { sequences, release: () => undefined },
    {
      voices,
      last: [1 as Token],
      path: join(folder, 'copy'),
      isStopped: () => false,
      onStep: () => rows.push(steps.splice(0).length),
    },
  );
  for (const [index, { said, stopReason }] of voices.entries()) {
    const length = lengths[index] ?? 0;
    expect(stopReason).toBe('stop');
    expect(said).toEqual(Array.from({ length }, (_, place) => length * 1000 + place + 1));
  }
  // Batches are multiples of four, and become smaller as soon as half of the rows are enough.
  expect(rows).toEqual([16, 16, 16, 16, 16, 16, 16, 16, 8, 8, 8, 4, 4, 4, 4]);
});

it('nobody goes on after a stop', async () => {
  const voices = [9, 9].map(voice);
  let steps = 0;
  await decodeInParallel(
    engine,
    { sequences: [fakeSequence(3, []), fakeSequence(3, [])], release: () => undefined },
    {
      voices,
      last: [1 as Token],
      path: join(folder, 'copy'),
      isStopped: () => steps === 2,
      onStep: () => {
        steps += 1;
      },
    },
  );
  expect(voices.map(({ said }) => said.length)).toEqual([2, 2]);
  expect(voices.map(({ stopReason }) => stopReason)).toEqual([null, null]);
});

it('what the first sequence has read the others have, too, and no file is left', async () => {
  const sequences = [fakeSequence(5, []), fakeSequence(0, []), fakeSequence(0, [])];
  const path = join(folder, 'copy');
  await copyPrompt({ sequences, release: () => undefined }, path);
  await expect(readFile(path)).rejects.toThrow('ENOENT');
  await sequences[2]?.saveStateToFile(path);
  expect(JSON.parse(await readFile(path, 'utf8'))).toHaveLength(5);
});

function straggler(
  length: number,
  stopReason: ParallelAnswer['stopReason'],
): ParallelAnswer & { readonly ends: number[] } {
  const ends: number[] = [];
  const taker = {
    push: () => null,
    end: () => {
      ends.push(1);
      return 'stop' as const;
    },
    tokens: Array.from({ length }, () => 1 as Token),
  };
  return { taker, sampling: {}, stopReason, ends };
}

it('an answer that is far longer than three of four is cut, with its text as far as it came', () => {
  const ended = [straggler(80, 'stop'), straggler(60, 'stop'), straggler(20, 'stop')];
  const voices = [...ended, straggler(256, null)];
  cutStragglers(voices);
  expect(voices.map(({ stopReason }) => stopReason)).toEqual(['stop', 'stop', 'stop', 'length']);
  expect(voices.map(({ ends }) => ends.length)).toEqual([0, 0, 0, 1]);
  const within = [...ended, straggler(255, null)];
  cutStragglers(within);
  expect(within.map(({ stopReason }) => stopReason)).toEqual(['stop', 'stop', 'stop', null]);
});

it('whoever adds to what most others only repeat has room for it', () => {
  const copies = Array.from({ length: 12 }, () => straggler(16, 'stop'));
  const adds = [straggler(100, null), straggler(90, null), straggler(40, null), straggler(20, null)];
  cutStragglers([...copies, ...adds]);
  expect(adds.map(({ stopReason }) => stopReason)).toEqual([null, null, null, null]);
});

it('nobody is cut while a third still write', () => {
  const voices = [straggler(8, 'stop'), straggler(8, 'stop'), straggler(300, null)];
  cutStragglers(voices);
  expect(voices.map(({ stopReason }) => stopReason)).toEqual(['stop', 'stop', null]);
});
