import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { success } from '../../../../../src/shared/errors.ts';
import type { CostsArguments } from '../../../../../src/main/hosts/cli/commands/costs.command.ts';
import { costs } from '../../../../../src/main/hosts/cli/commands/costs.command.ts';
import { run } from '../../../../../src/main/hosts/cli/commands/run.command.ts';
import { settings } from '../../../../../src/main/hosts/cli/commands/settings.command.ts';
import { commandContext } from '../../../../fakes/command-context.ts';
import type { ClientCore } from '../../../../fakes/core-client.ts';
import { openClientCore } from '../../../../fakes/core-client.ts';
import { createMemorySandbox } from '../../../../fakes/sandbox/memory-sandbox.ts';

let home = '';
let core: ClientCore;

beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'dewpoint-costs-'));
  core = await openClientCore({
    home,
    cache: join(home, 'cache'),
    version: '0.0.0-test',
    onNotice: () => undefined,
    startSandbox: async () => success(createMemorySandbox({ files: {} })),
  });
  const price = { input: 0, output: 20_000, source: 'test', date: '2026-11-21' };
  await core.client.settings.set({
    key: 'providers',
    value: { sky: { kind: 'scripted', where: 'cloud', replies: [{ text: 'Yes.' }], repeat: true, price } },
  });
  await core.client.settings.set({ key: 'cloud', value: 'sky/script' });
});

afterEach(async () => {
  await core.dispose();
  await rm(home, { recursive: true, force: true });
});

async function shown(args: CostsArguments): Promise<string> {
  const { context, said } = commandContext(core);
  expect(await costs(context, args)).toBe(0);
  return said.out;
}

async function ended(text: string): Promise<string> {
  const { context, said } = commandContext(core);
  expect(await run(context, text, { policy: 'cloud' })).toBe(0);
  return said.err;
}

const views: readonly CostsArguments[] = [
  {},
  { by: 'model' },
  { month: true },
  { steps: 'last' },
  { csv: true },
  { json: true },
];
const all = async (): Promise<readonly string[]> => {
  const texts: string[] = [];
  for (const view of views) texts.push(await shown(view));
  return texts;
};

describe('what was spent, in the terminal', () => {
  it('is in dollars alone without a currency, and the same again after it was unset', async () => {
    expect(await ended('One?')).not.toContain('≈');
    const before = await all();
    expect(before.join('')).not.toMatch(/≈|EUR/u);
    const { context } = commandContext(core);
    await settings(context, 'set', ['money.currency', '{"code": "eur", "perUsd": 0.5}']);
    await settings(context, 'unset', ['money.currency', undefined]);
    expect(await all()).toEqual(before);
  });

  it('names cancelled calls apart from failed ones', async () => {
    await ended('One?');
    expect((await shown({})).split('\n', 1)[0]).toMatch(/ calls +local +failed +cancelled +read /u);
    expect((await shown({ csv: true })).split('\r\n', 1)[0]).toContain('failed_calls,cancelled_calls,');
  });

  it('stands in the own currency too, at the rate that was set, and JSON stays in dollars', async () => {
    await ended('One?');
    const json = await shown({ json: true });
    await core.client.settings.set({ key: 'money.currency', value: { code: 'EUR', perUsd: 0.5 } });
    const { total } = await core.client.costs({ by: 'day' });
    expect(total.costUsd).toBeGreaterThan(0.01);
    const sum = `$${total.costUsd.toFixed(4)} ≈ €`;
    for (const view of [{}, { by: 'model' }, { steps: 'last' }]) expect(await shown(view)).toContain(sum);
    expect(await shown({ month: true })).toMatch(/this month so far +\$\d+\.\d\d ≈ €/u);
    expect(await shown({ json: true })).toBe(json);
    const [head = '', line = ''] = (await shown({ csv: true })).split('\r\n');
    const cells = Object.fromEntries(head.split(',').map((name, at) => [name, line.split(',')[at]]));
    expect(cells).toMatchObject({ currency: 'EUR', per_usd: '0.5' });
    expect(Number(cells.cost)).toBeCloseTo(total.costUsd / 2, 6);
    expect(await ended('Two?')).toContain('≈ €');
  });
});
