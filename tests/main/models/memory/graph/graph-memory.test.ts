import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { createArena } from '../../../../../src/main/models/memory/graph/graph-arena.ts';
import { parseCatalog } from '../../../../../src/main/models/files/model-catalog.ts';
import {
  engineContext,
  estimateMemory,
  readModelMemory,
} from '../../../../../src/main/models/memory/estimate/model-memory.ts';
import type { ModelMemory } from '../../../../../src/main/models/memory/estimate/model-memory.ts';

const catalog = parseCatalog(JSON.parse(readFileSync('resources/models.json', 'utf8')));

/** What the engine's library allocates, with logits for one token of a batch (as llama-server has it) or for all. */
const allocations = z
  .object({
    models: z.array(
      z.object({
        name: z.string(),
        dryRuns: z.array(
          z.tuple([
            z.enum(['f16', 'q8_0', 'q4_0']),
            z.number(),
            z.number(),
            z.number(),
            z.number(),
            z.number(),
            z.number(),
          ]),
        ),
      }),
    ),
  })
  .parse(JSON.parse(readFileSync('bench/data/engine-allocations.json', 'utf8')));

/** Measured in node-llama-cpp itself, with models that no rule here was derived from. */
const engine = z
  .object({
    models: z.array(
      z.object({
        name: z.string(),
        rows: z.array(z.tuple([z.enum(['f16', 'q8_0', 'q4_0']), z.number(), z.number(), z.number(), z.number()])),
      }),
    ),
  })
  .parse(JSON.parse(readFileSync('bench/data/engine-estimates.json', 'utf8')));

function model(name: string): ModelMemory {
  const keys = catalog.known.find((entry) => entry.name === name)?.keys ?? {};
  const read = readModelMemory({ keys, vocabulary: null, weights: null });
  if (!read.known) throw new Error(read.why);
  return read.memory;
}

describe('the memory arena', () => {
  it('takes the smallest hole that is large enough, or else the end', () => {
    const arena = createArena();
    const [wide, , narrow] = [arena.take(96), arena.take(32), arena.take(64), arena.take(32)];
    arena.give(wide, narrow);
    expect([arena.take(64), arena.take(128), arena.take(96)].map(({ offset }) => offset)).toEqual([128, 224, 0]);
    expect(arena.peakBytes()).toBe(352);
  });

  it('joins a freed block with its neighbors on both sides', () => {
    const arena = createArena();
    const blocks = [arena.take(32), arena.take(32), arena.take(32), arena.take(32)];
    const [first, second, third] = blocks;
    if (first === undefined || second === undefined || third === undefined) throw new Error('no blocks');
    arena.give(first, third, second);
    expect(arena.take(96).offset).toBe(0);
  });
});

describe('the compute buffer of a known family', () => {
  it('is that of the engine for thirty models, within 64 KiB', () => {
    const wrong: string[] = [];
    for (const { name, rows } of engine.models) {
      const memory = model(name);
      if (memory.compute.graph === null) continue;
      for (const [cacheType, tokens, ubatchTokens, slots, bytes] of rows) {
        const estimate = estimateMemory(memory, {
          engine: 'node-llama-cpp',
          context: {
            contextTokens: tokens * slots,
            cacheType,
            flashAttention: true,
            ubatchTokens,
            slots,
            unified: false,
            draftTokens: 0,
          },
        });
        const ours = (estimate.contextBytes ?? 0) + (estimate.computeBytes ?? 0);
        // The engine has a few index lists per sequence that no rule counts.
        if (Math.abs(ours - bytes) > 64 * 1024)
          wrong.push(`${name} ${cacheType} ${tokens} x ${slots}: ${ours - bytes}`);
      }
    }
    expect(wrong).toEqual([]);
  });

  // Two of three layers write no cells. What the last writing layer freed must not be freed again.
  it('is exact for layers that read other cells, for every cache and batch', () => {
    const wrong: string[] = [];
    for (const name of ['gemma-4-e2b-it', 'gemma-4-e4b-it']) {
      const memory = model(name);
      const rows = allocations.models.find((one) => one.name === name)?.dryRuns ?? [];
      expect(rows.length).toBeGreaterThan(40);
      for (const [cacheType, flash, contextTokens, ubatch, outputs, , computeBytes] of rows) {
        const isServer = outputs === 1;
        const estimate = estimateMemory(memory, {
          engine: isServer ? 'llama-server' : 'node-llama-cpp',
          context: {
            contextTokens,
            cacheType,
            flashAttention: flash === 1,
            ubatchTokens: isServer ? ubatch : ubatch - 1,
            slots: 1,
            unified: false,
            draftTokens: 0,
          },
        });
        if (estimate.computeBytes !== computeBytes)
          wrong.push(
            `${name} ${cacheType} ${contextTokens}/${ubatch}/${outputs}: ${estimate.computeBytes} for ${computeBytes}`,
          );
      }
    }
    expect(wrong).toEqual([]);
  });

  it('has one token more where node-llama-cpp makes one, for models with a window', () => {
    const context = {
      contextTokens: 8192,
      cacheType: 'f16',
      flashAttention: true,
      ubatchTokens: 512,
      slots: 1,
      unified: false,
      draftTokens: 0,
    } as const;
    const batch = (name: string, by: 'node-llama-cpp' | 'llama-server'): number =>
      engineContext(model(name), by, context).ubatchTokens;
    expect([
      batch('gemma-3-12b-it', 'node-llama-cpp'),
      batch('gemma-3-12b-it', 'llama-server'),
      batch('qwen3-14b', 'node-llama-cpp'),
    ]).toEqual([513, 512, 512]);
  });
});
