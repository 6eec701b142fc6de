import { rm } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { probeCardSchema } from '@shared/models/probe-card.ts';
import probe, { probeTask } from '../../src/main/recipes/probe.recipe.ts';
import type { LlamaEngine } from '../../src/main/models/engine/llama-engine.ts';
import { createAgentKit, turnOptions } from '../fakes/agent-kit.ts';
import { createTestProvider, scratchDir, startEngine } from './support.ts';

const name = 'qwen2.5-coder-0.5b-instruct';
const contextTokens = 1_280;

let engine: LlamaEngine;
let dir: string;
beforeAll(async () => {
  dir = await scratchDir();
  engine = await startEngine();
});
afterAll(async () => {
  await engine.dispose();
  await rm(dir, { recursive: true, force: true });
});

describe('the probe of a real model', () => {
  it('measures the engine, fills its window and finds what the model can do', async () => {
    const provider = await createTestProvider(engine, { contextTokens, cacheDir: dir });
    const kit = createAgentKit({
      recipes: [probe],
      model: {
        contextTokens,
        name,
        parametersB: 0.49,
        capabilities: { tools: false, grammar: true, prefill: true, infill: false, countTokens: true },
      },
      dependencies: { models: { provider: () => provider } },
    });
    const options = { ...turnOptions, mode: 'plan', strategy: 'recipe', maxSteps: 60 } as const;
    expect((await kit.runner.send(probeTask, options)).reason).toBe('answered');
    const found = kit.journal.events.flatMap((event) =>
      event.type === 'recipe-progressed' && event.phase === 'card' ? [probeCardSchema.parse(event.data)] : [],
    );
    const [card] = found;
    expect(card?.speeds).toHaveLength(3);
    for (const { prefillPerSecond, decodePerSecond, promptTokens } of card?.speeds ?? []) {
      expect(promptTokens).toBeGreaterThan(80);
      expect(prefillPerSecond).toBeGreaterThan(0);
      expect(decodePerSecond).toBeGreaterThan(0);
    }
    // A model of this size calls tools when it is forced to or asked in words, and writes small functions.
    expect(card?.callStyle).not.toBeNull();
    expect(card?.tasks.recipe.passed).toBeGreaterThan(0);
    expect(card?.strategies).toContain('recipe');
    expect(card?.promptForm).toBe('short');
    // The end of the context, unless this machine is too busy to read so much in the given time.
    const isCutShort = card?.notes.some((note) => note.includes('more would take longer')) ?? false;
    if (!isCutShort) expect(card?.needle?.promptTokens).toBeGreaterThan(0.75 * contextTokens);
  }, 600_000);
});
