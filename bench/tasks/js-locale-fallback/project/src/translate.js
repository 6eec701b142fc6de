import { localeChain } from './locales.js';
import { MESSAGES } from './messages.js';

/**
 * The text for a key in a locale, with {placeholders} filled in. Falls back to
 * more general locales; a key that is nowhere is returned as it is.
 */
export function translate(locale, key, values = {}, messages = MESSAGES) {
  for (const candidate of localeChain(locale)) {
    const text = messages[candidate]?.[key];
    if (text !== undefined) {
      return text.replace(/\{(\w+)\}/g, (whole, name) => values[name] ?? whole);
    }
  }
  return key;
}
