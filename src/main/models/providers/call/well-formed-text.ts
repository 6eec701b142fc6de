/** Half of a pair that stands alone: JSON can carry it and no service takes it. Lengths stay as they are. */
const loneSurrogate = /[\uD800-\uDBFF](?![\uDC00-\uDFFF])|(?<![\uD800-\uDBFF])[\uDC00-\uDFFF]/g;

/** A text that every service takes: what was cut in the middle of a character, or was never text, is marked. */
export function wellFormed(text: string): string {
  return text.replace(loneSurrogate, '\uFFFD').replaceAll('\0', '\uFFFD');
}

/** The same for every string and key inside a value. */
export function wellFormedValue(value: unknown): unknown {
  if (typeof value === 'string') return wellFormed(value);
  if (Array.isArray(value)) return value.map(wellFormedValue);
  if (typeof value === 'object' && value !== null) return wellFormedObject(value);
  return value;
}

export function wellFormedObject(value: object): Record<string, unknown> {
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [wellFormed(key), wellFormedValue(inner)]));
}
