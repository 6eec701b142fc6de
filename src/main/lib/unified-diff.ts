import { createTwoFilesPatch, diffArrays } from 'diff';

interface DiffOptions {
  readonly context: number;
  /** Above this it takes too long: the time grows with its square. */
  readonly maxEditLength?: number;
}

/** What makes one text of the other, by hunks alone. Null: they are too different. */
export function diffHunks(before: string, after: string, options: DiffOptions): string | null {
  const headerOptions = { includeIndex: false, includeUnderline: false, includeFileHeaders: false };
  return createTwoFilesPatch('', '', before, after, undefined, undefined, { ...options, headerOptions }) ?? null;
}

/** The two lines that begin the diff of a file. Null: the file does not exist on that side. */
export function diffHead(path: string, before: string | null, after: string | null): string {
  const oldName = before === null ? '/dev/null' : nameInDiff(`a/${path}`);
  const newName = after === null ? '/dev/null' : nameInDiff(`b/${path}`);
  return `--- ${oldName}\n+++ ${newName}\n`;
}

const escapes: Readonly<Record<string, string>> = { '\n': 'n', '\r': 'r', '\t': 't', '"': '"', '\\': '\\' };

/**
 * A name as it is. With a tab, a line break or another control character it would end early, so it stands in quotes, as
 * git writes it: these characters, quotes and backslashes are escaped, and letters stay letters.
 */
export function nameInDiff(name: string): string {
  if (!/[\p{Cc}\u2028\u2029]/u.test(name)) return name;
  const inner = name.replace(/["\\\p{Cc}\u2028\u2029]/gu, (character) => {
    const short = escapes[character];
    if (short !== undefined) return `\\${short}`;
    return [...Buffer.from(character)].map((byte) => `\\${byte.toString(8).padStart(3, '0')}`).join('');
  });
  return `"${inner}"`;
}

/** For each line of `after`: which line of `before` it was, or null where it is new. Too different means all new. */
export function lineOrigins(before: readonly string[], after: readonly string[]): readonly (number | null)[] {
  const parts = diffArrays([...before], [...after], { maxEditLength: 5000 });
  if (parts === undefined) return after.map(() => null);
  const origins: (number | null)[] = [];
  let old = 0;
  for (const { added, removed, count } of parts) {
    for (let step = 0; step < count; step += 1) {
      if (added) origins.push(null);
      else if (!removed) origins.push(old + step);
    }
    if (!added) old += count;
  }
  return origins;
}
