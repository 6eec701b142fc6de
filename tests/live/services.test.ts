import { afterAll, describe, expect, it } from 'vitest';
import { listedPrice } from '../../src/main/money/prices.ts';
import type { Provider, StreamEnded, StreamPart } from '../../src/main/providers/define.ts';
import { discoverProviders } from '../../src/main/providers/registry.ts';
import type { ModelInfo } from '../../src/shared/models.ts';
import { costOf, worstCostOf } from '../../src/shared/money.ts';
import type { ProviderSettings } from '../../src/shared/settings.ts';
import { keyVariableOf, serviceNames, serviceSettings } from '../../src/shared/settings.ts';
import { collect, providerDependencies, request } from '../fakes/provider-kit.ts';

/*
 * The contract of providers against the real services, for whom a key lies in the environment. Never a part of
 * `npm test`: it costs money (a fraction of a cent for each service) and needs the network.
 */

interface Service {
  readonly name: string;
  readonly settings: ProviderSettings;
  readonly variable: string;
  readonly key: string;
}

const known = serviceNames.flatMap((name) => {
  const settings = serviceSettings(name);
  const variable = settings === null ? null : keyVariableOf(settings);
  return settings === null || variable === null ? [] : [{ name, settings, variable }];
});
const services: readonly Service[] = known.flatMap((service) => {
  const key = process.env[service.variable] ?? '';
  return key === '' ? [] : [{ ...service, key }];
});

/** No call of these tests may cost more, whatever a service charges. */
const mostUsd = 0.05;
const spent: { readonly what: string; readonly usd: number | null }[] = [];

describe.skipIf(services.length > 0)('services', () => {
  it('are not called: no key is in the environment', () => {
    const names = known.map(({ variable }) => variable).join(', ');
    process.stdout.write(`No service was called and nothing was spent. A key of one of these would do: ${names}\n`);
    expect(services).toEqual([]);
  });
});

describe.skipIf(services.length === 0).each(services)('$name', ({ name, settings, key }) => {
  const definition = discoverProviders().get(settings.kind);
  if (definition === undefined) throw new Error(`no provider of the kind ${settings.kind}`);
  const provider = definition.create(providerDependencies({ secret: async () => key }), { id: name, settings });
  afterAll(() => provider.dispose());

  it('lists models, answers, calls a tool and stops when told to', async () => {
    const model = await cheapest(provider, settings);
    expect(model, 'no model with a known price that is cheap enough').not.toBeNull();
    if (model === null) return;
    const ask = request(model.name, 'Answer with the one word: yes');
    const plain = await call(provider, model, ask);
    expect(plain.ended.error).toBeNull();
    expect(plain.ended.usage.estimated).toBe(false);
    expect(plain.ended.usage.output).toBeGreaterThan(0);
    const tool = { name: 'read_file', description: 'Read a file.', inputSchema: readFileSchema };
    const text = 'Read the file a.py with your tool.';
    const called = await call(provider, model, { ...request(model.name, text), tools: [tool], maxOutputTokens: 512 });
    expect(called.ended.error).toBeNull();
    if (model.capabilities.tools) expect(called.parts.map(({ type }) => type)).toContain('tool-call');
    const cancelled = await collect(provider.stream(ask, AbortSignal.abort()));
    expect(cancelled.at(-1)).toMatchObject({ type: 'ended', stopReason: 'cancelled' });
  });

  it('says what is wrong with a key that is none', async () => {
    const other = definition.create(providerDependencies({ secret: async () => 'no-key' }), { id: name, settings });
    const [model] = (await provider.listModels(new AbortController().signal)).map((info) => info.name);
    const parts = await collect(other.stream(request(model ?? 'm'), new AbortController().signal));
    await other.dispose();
    expect(endOf(parts).error?.code).toMatch(/^(auth|bad-request)$/);
  });
});

afterAll(() => {
  if (spent.length === 0) return;
  for (const { what, usd } of spent)
    process.stdout.write(`${what}: ${usd === null ? 'unpriced' : `$${usd.toFixed(6)}`}\n`);
  const sum = spent.reduce((total, { usd }) => total + (usd ?? 0), 0);
  process.stdout.write(`These tests cost $${sum.toFixed(6)}.\n`);
});

const readFileSchema = { type: 'object', properties: { path: { type: 'string' } }, required: ['path'] };

/** The cheapest model with a known price and tools; `DEWPOINT_LIVE_MODEL` names another one. */
async function cheapest(provider: Provider, settings: ProviderSettings): Promise<ModelInfo | null> {
  const wanted = process.env.DEWPOINT_LIVE_MODEL;
  const at = Date.now();
  let best: { readonly model: ModelInfo; readonly worst: number } | null = null;
  for (const listed of await provider.listModels(new AbortController().signal)) {
    if (wanted !== undefined && listed.name !== wanted) continue;
    const price = listed.price ?? (await listedPrice({ settings, name: listed.name, at }));
    const worst = worstCostOf(2_000, 600, price);
    if (worst === null || worst > mostUsd || worst === 0 || !listed.capabilities.tools) continue;
    if (best === null || worst < best.worst) best = { model: { ...listed, price }, worst };
  }
  return best?.model ?? null;
}

async function call(
  provider: Provider,
  model: ModelInfo,
  ask: Parameters<Provider['stream']>[0],
): Promise<{ readonly parts: readonly StreamPart[]; readonly ended: StreamEnded }> {
  const parts = await collect(provider.stream(ask, AbortSignal.timeout(60_000)));
  const ended = endOf(parts);
  const { freshInput, cacheRead, cacheWrite, output } = ended.usage;
  const tokens = `${freshInput + cacheRead + cacheWrite} tokens read, ${output} written`;
  spent.push({ what: `${model.id}, ${tokens}`, usd: costOf(ended.usage, model.price) });
  return { parts, ended };
}

function endOf(parts: readonly StreamPart[]): StreamEnded {
  const last = parts.at(-1);
  if (last?.type !== 'ended') throw new Error('the stream has no end');
  return last;
}
