/** `0.9 s`, `14 s`, `3 min 05 s`. */
export function seconds(milliseconds: number): string {
  const count = milliseconds / 1000;
  if (count < 9.95) return `${count.toFixed(1)} s`;
  const whole = Math.round(count);
  return whole < 60 ? `${whole} s` : `${Math.floor(whole / 60)} min ${String(whole % 60).padStart(2, '0')} s`;
}

/** US dollars; null is a price that nobody knows, which is not 0. */
export function money(costUsd: number | null): string {
  if (costUsd === null) return 'unpriced';
  return `$${costUsd.toFixed(costUsd >= 1 ? 2 : 4)}`;
}

/** A figure with what it may lie between, where that is not the same. */
export function span(
  { value, low, high }: { readonly value: number; readonly low: number; readonly high: number },
  text: (value: number) => string,
): string {
  return low === high ? text(value) : `${text(value)} (${text(low)}–${text(high)})`;
}

/** `980`, `12.3k`. */
export function tokens(count: number): string {
  return count < 10_000 ? String(count) : `${(count / 1000).toFixed(1)}k`;
}

export function speed(tokensPerSecond: number | null): string | null {
  if (tokensPerSecond === null) return null;
  return `${tokensPerSecond < 100 ? tokensPerSecond.toFixed(1) : Math.round(tokensPerSecond)} tok/s`;
}

/** `+3 −1`, with a question mark for what is not known. */
export function lineCounts(added: number | null, removed: number | null): string {
  return `+${added ?? '?'} −${removed ?? '?'}`;
}

export function megabytes(bytes: number): string {
  return bytes < 1e9 ? `${Math.round(bytes / 1e6)} MB` : `${(bytes / 1e9).toFixed(1)} GB`;
}

/** `812 B`, `3.4 kB`, then as `megabytes`. */
export function bytes(count: number): string {
  if (count < 1000) return `${count} B`;
  return count < 1e6 ? `${(count / 1000).toFixed(1)} kB` : megabytes(count);
}

/** The time of today, the day of another day. */
export function clock(at: number, now: number): string {
  const date = new Date(at);
  if (date.toDateString() === new Date(now).toDateString()) {
    return date.toLocaleTimeString('en-GB', { hour: '2-digit', minute: '2-digit' });
  }
  return date.toLocaleDateString('en-GB', { day: 'numeric', month: 'short' });
}

/** The last part of a path, on any system. */
export function folderName(path: string): string {
  return path.split(/[/\\]/u).findLast((part) => part !== '') ?? path;
}
