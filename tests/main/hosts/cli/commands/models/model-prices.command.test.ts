import { describe, expect, it } from 'vitest';
import { modelCatalog } from '../../../../../../src/main/hosts/cli/commands/models/model-catalog.command.ts';
import { modelPrices } from '../../../../../../src/main/hosts/cli/commands/models/model-prices.command.ts';
import { repairModel } from '../../../../../../src/main/hosts/cli/commands/models/repair-model.command.ts';
import { commandContext } from '../../../../../fakes/command-context.ts';
import { createPageCore } from '../../../../../fakes/page-core.ts';
import { fetchedDay } from '../../../../../fakes/page-prices.ts';

/** Catches: prices that are used without a yes, and a change that is told without its old price. */
it('dewpoint models prices tells each price, old and new, uses them after a yes, and goes back', async () => {
  const { context, said } = commandContext(createPageCore());
  const tell = async (...args: Parameters<typeof modelPrices> extends [unknown, ...infer Rest] ? Rest : never) => {
    said.out = '';
    said.err = '';
    return modelPrices(context, ...args);
  };
  expect(await tell('show-prices', {})).toBe(0);
  expect(said.out).toMatch(/^the price list that came with Dewpoint, from \d{4}-\d\d-\d\d, \d+ models\n$/u);
  await expect(tell('update-prices', { yes: true })).rejects.toThrow('Your prices are as they were.');
  await expect(tell('update-prices', {})).rejects.toThrow('A new price list');
  expect(said.out).toContain('openai/gpt-5  in $1.25, out $10, cached $0.125  →  in $2, out $12');
  expect(said.out).toContain('1 price changes; your own prices stay above the list');
  await tell('show-prices', {});
  expect(said.out).toContain('came with Dewpoint');
  expect(await tell('update-prices', { yes: true })).toBe(0);
  expect(said.err).toContain('These prices are in use for calls from now on.');
  await tell('show-prices', { json: true });
  expect(JSON.parse(said.out)).toMatchObject({ date: fetchedDay, isFetched: true, models: 1 });
  expect(await tell('reset-prices', {})).toBe(0);
  expect(said.out).toContain('in $2, out $12  →  in $1.25, out $10, cached $0.125');
});

// Catches: a question whose subject nobody sees, and a list of changes in the middle of JSON.
it('dewpoint models prices --json tells what it asks about beside its output', async () => {
  const { context, said } = commandContext(createPageCore());
  await expect(modelPrices(context, 'update-prices', { json: true })).rejects.toThrow('Your prices are as they were.');
  await expect(modelPrices(context, 'update-prices', { json: true })).rejects.toThrow('A new price list');
  expect(said.err).toContain('openai/gpt-5  in $1.25, out $10, cached $0.125  →  in $2, out $12');
  expect(said.out).toBe('');
  await modelPrices(context, 'update-prices', { json: true, yes: true });
  expect(JSON.parse(said.out)).toMatchObject({ isTaken: true });
});

// Catches: a download that goes on after Ctrl-C, until the second one ends the program.
describe('the first Ctrl-C', () => {
  type Context = ReturnType<typeof commandContext>['context'];
  it.each([
    ['a price list', (context: Context) => modelPrices(context, 'update-prices', {})],
    ['a catalog', (context: Context) => modelCatalog(context, 'https://example.com/catalog.json', {})],
    ['what repairs a model', (context: Context) => repairModel(context, 'ollama/small', {})],
  ])('stops looking for %s', async (_what, look) => {
    const { handlers } = createPageCore();
    const asked = Promise.withResolvers<void>();
    const wait = ({ signal }: { readonly signal?: AbortSignal | undefined }) =>
      new Promise<never>((_resolve, reject) => {
        signal?.addEventListener('abort', () => reject(new Error('stopped')));
        asked.resolve();
      });
    const models = { ...handlers.models, updateCatalog: wait, repair: wait };
    const prices = { ...handlers.prices, update: wait };
    const { context } = commandContext({ handlers: { ...handlers, models, prices } });
    const stop = new AbortController();
    const looking = look({ ...context, signal: stop.signal });
    await asked.promise;
    stop.abort();
    await expect(looking).rejects.toThrow();
  });
});
