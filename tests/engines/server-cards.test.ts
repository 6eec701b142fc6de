import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { llamaServerSchema } from '@shared/settings/settings.ts';
import { measurePlacement, ownServer, placedShapes, writePlaced } from '../../bench/lib/card/server-placements.ts';
import { makeSimulatedServer } from '../../bench/lib/card/simulated-server.ts';
import type { OwnLlamaServer } from '../../src/main/models/engine/llama-server/own-llama-server.ts';
import { createHeaderReader } from '../../src/main/models/memory/gguf/gguf-header-reader.ts';
import { createLoadSteps } from '../../src/main/models/memory/load-steps.ts';
import { createLlamaServerProvider } from '../../src/main/models/providers/llama-server/create-llama-server-provider.ts';
import { providerDependencies } from '../fakes/provider-kit.ts';
import { collect, modelPath, modelRequest } from './support.ts';

/**
 * Runs on cards that are simulated with main memory. Catches: a plan that counts less than a card takes for weights in
 * main memory during a long prompt, and a load that runs out of memory again and again.
 */
const program = process.env.DEWPOINT_TEST_LLAMA_SERVER;
const never = new AbortController().signal;
const mebi = 2 ** 20;

describe.runIf(program !== undefined)('a llama-server with a card', () => {
  let dir: string;
  let own: OwnLlamaServer;
  beforeAll(async () => {
    dir = await mkdtemp(join(tmpdir(), 'dewpoint-cards-'));
    own = ownServer();
  });
  afterAll(async () => {
    await own.dispose();
    await rm(dir, { recursive: true, force: true });
  });
  const made = async (cards: readonly number[], roomPercent: number): Promise<string> =>
    makeSimulatedServer(await mkdtemp(join(dir, 'server-')), { program: program ?? '', cards, roomPercent });

  it('takes no more of each card than planned, even with experts in main memory', async () => {
    const server = await made([1_024 * mebi, 1_024 * mebi], 100);
    const path = await writePlaced(placedShapes.experts, dir);
    for (const [room, placement] of [
      [[600, 600], 'devices'],
      [[390, 400], 'experts-on-host'],
    ] as const) {
      const cardBytes = room.map((size) => size * mebi);
      const { plan, cards } = await measurePlacement(own, { program: server, path, cardBytes });
      expect(plan.placement).toBe(placement);
      expect(cards[0]?.real).toBeGreaterThan(0);
      for (const { planned, real } of cards) {
        // The server rounds each buffer, and also copies small inputs.
        expect(real).toBeLessThan(planned + mebi / 16);
      }
    }
  });

  it('is loaded with less after its card was full, says so, and then answers', async () => {
    const server = await made([1_024 * mebi], 25);
    const small = 'smollm2-135m-instruct';
    const provider = createLlamaServerProvider(
      providerDependencies({
        ownLlamaServer: own,
        now: Date.now,
        readHeader: createHeaderReader(),
        freeHostBytes: async () => 16 * 2 ** 30,
        loadSteps: createLoadSteps(join(dir, 'steps.json')),
        modelFile: async () => ({ path: modelPath(small), contextTokens: null, parametersB: 0.1, label: small }),
      }),
      {
        id: 'llama-server',
        settings: llamaServerSchema.parse({ kind: 'llama-server', program: server, contextTokens: 8_192, threads: 1 }),
      },
    );
    const ask = () => collect(provider.stream(modelRequest(small, 'Hello.', { maxOutputTokens: 8 }), never));
    const first = (await ask()).ended;
    expect(first.error).toMatchObject({ code: 'out-of-memory', retryable: true });
    expect(first.error?.message).toContain('From now on, it is loaded with 4096 tokens for one conversation');
    const { ended, text } = await ask();
    expect([ended.error, ended.engine?.grantedTokens, ended.engine?.backend]).toEqual([null, 4_096, 'gpu']);
    expect(ended.engine?.why).toContain('its server ran out of memory with 8192 tokens');
    expect(text).not.toBe('');
  });
});
