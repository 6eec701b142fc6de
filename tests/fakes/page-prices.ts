import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { randomUUID } from 'node:crypto';
import { AppError } from '../../src/shared/errors.ts';
import { localDay } from '../../src/main/money/local-day.ts';
import { priceList } from '../../src/main/money/price-list.ts';
import { createPriceUpdates } from '../../src/main/money/price-updates.ts';
import type { SomeHandlers } from './fake-handlers.ts';
import type { Note } from './page-settings.ts';

/** Noon here, two months after the price list of this version, so that a list of this day is newer in each time zone. */
export const fetchedAt = new Date(`${priceList.date}T12:00:00`).getTime() + 60 * 86_400_000;
export const fetchedDay = localDay(fetchedAt);

/** The real price list of this version. Its publisher has a newer one with one new price; the first request fails. */
export function priceHandlers(note: Note): NonNullable<SomeHandlers['prices']> {
  let answers = 0;
  const model = { id: 'gpt-5', match: { equals: 'gpt-5' }, prices: { input_mtok: 2, output_mtok: 12 } };
  const updates = createPriceUpdates({
    path: join(tmpdir(), `dewpoint-prices-${randomUUID()}.json`),
    fetch: () => {
      answers += 1;
      if (answers === 1)
        return Promise.reject(new AppError('network', 'Nobody answers. Your prices are as they were.'));
      return Promise.resolve(Response.json([{ id: 'openai', models: [model] }]));
    },
    now: () => fetchedAt,
  });
  return {
    show: () => updates.show(),
    update: ({ input, signal }) => {
      note('prices', input.apply);
      return input.apply ? updates.use(input.hash) : updates.look(signal ?? new AbortController().signal);
    },
    reset: () => updates.reset(),
  };
}
