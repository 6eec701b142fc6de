import type { Currency } from '@shared/money/currency.ts';
import { currencySchema } from '@shared/money/currency-schema.ts';
import type { CoreClient } from '../../server/local-socket.ts';

/** The currency that the user wants to see beside dollars. Null: none. */
export async function shownCurrency(core: CoreClient): Promise<Currency | null> {
  return currencySchema.nullable().parse(await core.settings.get({ key: 'money.currency' }));
}
