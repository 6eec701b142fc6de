import { escapeForTerminal } from '@shared/text/seen-text.ts';
import { en } from '../../texts/en.ts';

export type TextKey = keyof typeof en;
type PluralKey = TextKey extends infer Key ? (Key extends `${infer Base}.other` ? Base : never) : never;

const plurals = new Intl.PluralRules('en');

/** The text of a key with its values. Characters in a value that would hide or reorder text are written out. */
export function t(key: TextKey, values: Readonly<Record<string, string | number>> = {}): string {
  return en[key].replaceAll(/\{(\w+)\}/gu, (whole, name: string) => escapeForTerminal(String(values[name] ?? whole)));
}

/** The text of a key for a count, which is also its value `count`. */
export function plural(key: PluralKey, count: number, values: Readonly<Record<string, string | number>> = {}): string {
  const one: TextKey = `${key}.one`;
  const other: TextKey = `${key}.other`;
  return t(plurals.select(count) === 'one' ? one : other, { count, ...values });
}
