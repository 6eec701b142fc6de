import { afterAll, describe, expect, it } from 'vitest';
import type { ProviderSettings } from '../../src/shared/settings/settings.ts';
import {
  keyVariableOf,
  providerSettingsSchema,
  knownProviderNames,
  knownProviderSettings,
} from '../../src/shared/settings/settings.ts';
import { describeService, type LiveService, type Spent } from './live-service.ts';

/*
 * The contract of providers against the real services, for whom a key lies in the environment. Never a part of
 * `npm test`: it costs money (a fraction of a cent for each service) and needs the network. `DEWPOINT_LIVE_MODEL` names
 * another model than the cheapest; `OPENAI_BASE_URL` and so on another address, as for the services' own packages.
 */

const known = knownProviderNames.flatMap((name) => {
  const settings = knownProviderSettings(name);
  const variable = settings === null ? null : keyVariableOf(settings);
  return settings === null || variable === null ? [] : [{ name, settings: withAddress(name, settings), variable }];
});
const services: readonly LiveService[] = known.flatMap(({ name, settings, variable }) => {
  const key = process.env[variable] ?? '';
  return key === '' ? [] : [{ name, settings, key, model: process.env.DEWPOINT_LIVE_MODEL }];
});

function withAddress(name: string, settings: ProviderSettings): ProviderSettings {
  const baseUrl = process.env[`${name.toUpperCase()}_BASE_URL`];
  return baseUrl === undefined ? settings : providerSettingsSchema.parse({ ...settings, baseUrl });
}

const spent: Spent[] = [];

describe.skipIf(services.length > 0)('real services', () => {
  it('are not called without a key in the environment', () => {
    const names = known.map(({ variable }) => variable).join(', ');
    process.stdout.write(`No service was called and nothing was spent. A key of one of these would do: ${names}\n`);
    expect(services).toEqual([]);
  });
});

for (const service of services) describeService(service, (one) => spent.push(one));

afterAll(() => {
  if (spent.length === 0) return;
  for (const { what, usd } of spent)
    process.stdout.write(`${what}: ${usd === null ? 'unpriced' : `$${usd.toFixed(6)}`}\n`);
  const sum = spent.reduce((total, { usd }) => total + (usd ?? 0), 0);
  process.stdout.write(`These tests cost $${sum.toFixed(6)}.\n`);
});
