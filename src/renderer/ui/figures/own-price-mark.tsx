import { t } from '../../lib/text/translate.ts';
import { useOwnPrices } from '../../lib/models/use-own-prices.ts';

/** Marks a figure that is based on a price the user set. Empty for any other figure. */
export function OwnPriceMark({ model }: { readonly model: string }) {
  if (!useOwnPrices().has(model)) return null;
  return <span className="ml-1.5 font-sans text-xs whitespace-nowrap text-soft">{t('price.own')}</span>;
}
