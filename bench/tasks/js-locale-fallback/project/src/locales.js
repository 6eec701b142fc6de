export const DEFAULT_LOCALE = 'en';

/**
 * The locales to look in for texts, the best one first: the wanted locale, then
 * each more general one ("zh-Hant-TW", "zh-Hant", "zh"), and the default last.
 * No locale is listed twice.
 */
export function localeChain(wanted) {
  const chain = [wanted];
  if (wanted !== DEFAULT_LOCALE) chain.push(DEFAULT_LOCALE);
  return chain;
}
