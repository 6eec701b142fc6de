import { t } from '../../lib/text/translate.ts';
import { useOwnPrices } from '../../lib/models/use-own-prices.ts';

/** Beside a figure: it was worked out by a price that a person has set; nothing where that is not so. */
export function OwnPriceMark({ model }: { readonly model: string }) {
  if (!useOwnPrices().has(model)) return null;
  return <span className="ml-1.5 font-sans text-xs whitespace-nowrap text-soft">{t('price.own')}</span>;
}
