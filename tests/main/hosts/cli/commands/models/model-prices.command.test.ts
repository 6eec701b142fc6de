import { expect, it } from 'vitest';
import { modelPrices } from '../../../../../../src/main/hosts/cli/commands/models/model-prices.command.ts';
import { commandContext } from '../../../../../fakes/command-context.ts';
import { createPageCore } from '../../../../../fakes/page-core.ts';

/** Catches: prices that are used without a yes, and a change that is told without its old price. */
it('dewpoint models prices tells each price, old and new, uses them after a yes, and goes back', async () => {
  const { context, said } = commandContext(createPageCore());
  const tell = async (...args: Parameters<typeof modelPrices> extends [unknown, ...infer Rest] ? Rest : never) => {
    said.out = '';
    said.err = '';
    return modelPrices(context, ...args);
  };
  expect(await tell('show-prices', {})).toBe(0);
  expect(said.out).toMatch(/^the price list that came with Dewpoint, from 2026-\d\d-\d\d, \d+ models\n$/u);
  await expect(tell('update-prices', { yes: true })).rejects.toThrow('Your prices are as they were.');
  await expect(tell('update-prices', {})).rejects.toThrow('A new price list');
  expect(said.out).toContain('openai/gpt-5  in $1.25, out $10, cached $0.125  →  in $2, out $12');
  expect(said.out).toContain('1 price changes; your own prices stay above the list');
  await tell('show-prices', {});
  expect(said.out).toContain('came with Dewpoint');
  expect(await tell('update-prices', { yes: true })).toBe(0);
  expect(said.err).toContain('These prices are in use for calls from now on.');
  await tell('show-prices', { json: true });
  expect(JSON.parse(said.out)).toMatchObject({ date: '2026-11-25', isFetched: true, models: 1 });
  expect(await tell('reset-prices', {})).toBe(0);
  expect(said.out).toContain('in $2, out $12  →  in $1.25, out $10, cached $0.125');
});
