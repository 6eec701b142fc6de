import { afterAll, describe, expect, it } from 'vitest';
import { listedPrice } from '../../src/main/money/price-list.ts';
import type { Provider, StreamEnded, StreamPart } from '../../src/main/models/providers/define.ts';
import type { ModelInfo } from '../../src/shared/models/model-info.ts';
import { costOf, worstCostOf } from '../../src/shared/money/token-cost.ts';
import type { ProviderSettings } from '../../src/shared/settings/settings.ts';
import { allProviders, collect, providerDependencies, request } from '../fakes/provider-kit.ts';

export interface LiveService {
  readonly name: string;
  readonly settings: ProviderSettings;
  readonly key: string;
  /** In place of the cheapest that has a price. */
  readonly model?: string | undefined;
}

/** What a call used and cost; null: its model has no price. */
export interface Spent {
  readonly what: string;
  readonly usd: number | null;
}

/** No call of these tests may cost more, whatever a service charges. */
const mostUsd = 0.05;

/** The contract of providers against one service that is really there. Every call is told to `spend`. */
export function describeService(service: LiveService, spend: (spent: Spent) => void): void {
  const { name, settings, key } = service;
  const definition = allProviders().get(settings.kind);
  if (definition === undefined) throw new Error(`no provider of the kind ${settings.kind}`);
  const providerWith = (secret: string): Provider =>
    definition.create(providerDependencies({ secret: async () => secret }), { id: name, settings });

  describe(name, () => {
    const provider = providerWith(key);
    afterAll(() => provider.dispose());
    const call = async (model: ModelInfo, ask: Parameters<Provider['stream']>[0]) => {
      const parts = await collect(provider.stream(ask, AbortSignal.timeout(60_000)));
      const ended = endOf(parts);
      const { freshInput, cacheRead, cacheWrite, output } = ended.usage;
      const tokens = `${freshInput + cacheRead + cacheWrite} tokens read, ${output} written`;
      spend({ what: `${model.id}, ${tokens}`, usd: costOf(ended.usage, model.price) });
      return { parts, ended };
    };

    it('lists models, answers, calls a tool and stops when cancelled', async () => {
      const model = await cheapest(provider, service);
      expect(model, 'no model with a known price that is cheap enough').not.toBeNull();
      if (model === null) return;
      const ask = request(model.name, 'Answer with the one word: yes');
      const plain = await call(model, ask);
      expect(plain.ended.error).toBeNull();
      expect(plain.ended.usage.estimated).toBe(false);
      expect(plain.ended.usage.output).toBeGreaterThan(0);
      const tool = { name: 'read_file', description: 'Read a file.', inputSchema: readFileSchema };
      const text = 'Read the file a.py with your tool.';
      const called = await call(model, { ...request(model.name, text), tools: [tool], maxOutputTokens: 512 });
      expect(called.ended.error).toBeNull();
      if (model.capabilities.tools) expect(called.parts.map(({ type }) => type)).toContain('tool-call');
      const cancelled = await collect(provider.stream(ask, AbortSignal.abort()));
      expect(cancelled.at(-1)).toMatchObject({ type: 'ended', stopReason: 'cancelled' });
    });

    it('explains that a wrong key is wrong', async () => {
      const other = providerWith('no-key');
      const [model] = (await provider.list(new AbortController().signal)).map((info) => info.name);
      const parts = await collect(other.stream(request(model ?? 'm'), new AbortController().signal));
      await other.dispose();
      expect(endOf(parts).error?.code).toMatch(/^(auth|bad-request)$/);
    });
  });
}

const readFileSchema = { type: 'object', properties: { path: { type: 'string' } }, required: ['path'] };

/** The cheapest model with a known price and tools. */
async function cheapest(provider: Provider, { settings, model: wanted }: LiveService): Promise<ModelInfo | null> {
  const at = Date.now();
  let best: { readonly model: ModelInfo; readonly worst: number } | null = null;
  for (const listed of await provider.list(new AbortController().signal)) {
    if (wanted !== undefined && listed.name !== wanted) continue;
    const price = listed.price ?? (await listedPrice({ settings, name: listed.name, at }));
    const worst = worstCostOf(2_000, 600, price);
    if (worst === null || worst > mostUsd || worst === 0 || !listed.capabilities.tools) continue;
    if (best === null || worst < best.worst) best = { model: { ...listed, price }, worst };
  }
  return best?.model ?? null;
}

function endOf(parts: readonly StreamPart[]): StreamEnded {
  const last = parts.at(-1);
  if (last?.type !== 'ended') throw new Error('the stream has no end');
  return last;
}
