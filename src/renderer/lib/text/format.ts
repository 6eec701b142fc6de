import { moneyText } from '@shared/money/money-text.ts';
import { durationText } from '@shared/text/duration-text.ts';
import { seenName, seenWords } from '@shared/text/seen-text.ts';
import { t } from './translate.ts';
import { readableSize } from '@shared/text/size-text.ts';

/** `0.9 s`, `14 s`, `3 min 05 s`, `2 h 55 min`. */
export const seconds = durationText;

/** US dollars. Null is an unknown price, which is not 0. */
export function money(costUsd: number | null): string {
  if (costUsd === null) return t('unit.unpriced');
  return costUsd < 1 ? moneyText(costUsd) : `$${costUsd.toFixed(2)}`;
}

/** A figure with its interval, if the interval is wider than the figure. */
export function span(
  { value, low, high }: { readonly value: number; readonly low: number; readonly high: number },
  text: (value: number) => string,
): string {
  return low === high ? text(value) : `${text(value)} (${text(low)}–${text(high)})`;
}

const grouped = new Intl.NumberFormat('en');

/** `980`, `2,104`, `12.3k`, `1.2M`. */
export function tokens(count: number): string {
  if (count < 10_000) return grouped.format(count);
  return count < 999_950 ? `${tenths(count / 1000)}k` : `${tenths(count / 1e6)}M`;
}

function tenths(count: number): string {
  return count.toFixed(1).replace('.0', '');
}

export function speed(tokensPerSecond: number | null): string | null {
  if (tokensPerSecond === null) return null;
  // Accurate to a hundredth of the value, so slow speeds need more digits.
  const digits = tokensPerSecond < 10 ? 2 : tokensPerSecond < 100 ? 1 : 0;
  const count = digits === 0 ? grouped.format(Math.round(tokensPerSecond)) : tokensPerSecond.toFixed(digits);
  return t('unit.speed', { count });
}

/** `+3 −1`, with a question mark for unknown counts. */
export function lineCounts(added: number | null, removed: number | null): string {
  return `+${added ?? '?'} −${removed ?? '?'}`;
}

/** `812 B`, `3.4 kB`, `412 MB`, `1.1 GB`. */
export function bytes(size: number): string {
  const { unit, count } = readableSize(size);
  return t(`unit.${unit}`, { count });
}

/** What a projector adds to the download of its model. Null: its size is not known. */
export function sightText(projectorBytes: number | null): string {
  return projectorBytes === null ? t('projector.withUnknown') : t('projector.with', { size: bytes(projectorBytes) });
}

/** The time for today, the day for other days. */
export function clock(at: number, now: number): string {
  const date = new Date(at);
  if (date.toDateString() === new Date(now).toDateString()) return timeOfDay(at);
  return date.toLocaleDateString('en-GB', { day: 'numeric', month: 'short' });
}

/** `14:05`. */
export function timeOfDay(at: number): string {
  return new Date(at).toLocaleTimeString('en-GB', { hour: '2-digit', minute: '2-digit' });
}

/** In the calendar of this machine, as the core counts: `2026-11`. */
export function thisMonth(): string {
  const now = new Date();
  return `${now.getFullYear()}-${String(now.getMonth() + 1).padStart(2, '0')}`;
}

/** The last part of a path, on any system. A backslash separates names in paths of Windows alone. */
export function folderName(path: string): string {
  return seenName(
    path.split(/^(?:[A-Za-z]:|\\\\)/u.test(path) ? /[/\\]/u : '/').findLast((part) => part !== '') ?? path,
  );
}

/** The title of a session in lists and above its conversation. */
export function sessionTitle(title: string): string {
  return title === '' ? t('sessions.untitled') : seenWords(title);
}
