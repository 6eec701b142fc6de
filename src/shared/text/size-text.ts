/** A size in units of 1,000, as disks, downloads and other programs show it. */
export interface ReadableSize {
  readonly unit: 'bytes' | 'kilobytes' | 'megabytes' | 'gigabytes';
  /** Only the meaningful digits: `812`, `3.4`, `412`, `1.1`. */
  readonly count: string;
}

export function readableSize(bytes: number): ReadableSize {
  if (bytes < 999.5) return { unit: 'bytes', count: String(Math.round(bytes)) };
  // A size that would round to 1,000 of a unit gets the next unit.
  if (bytes < 999_950) return { unit: 'kilobytes', count: (bytes / 1e3).toFixed(1) };
  if (bytes < 999_500_000) return { unit: 'megabytes', count: String(Math.round(bytes / 1e6)) };
  return { unit: 'gigabytes', count: (bytes / 1e9).toFixed(1) };
}

const units = { bytes: 'B', kilobytes: 'kB', megabytes: 'MB', gigabytes: 'GB' } as const;

/** `812 B`, `3.4 kB`, `412 MB`, `1.1 GB`. The window has its own unit names: `bytes` in its `format.ts`. */
export function sizeText(bytes: number): string {
  const { unit, count } = readableSize(bytes);
  return `${count} ${units[unit]}`;
}
