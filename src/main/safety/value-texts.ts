/** Every string inside a value. */
export function textsIn(value: unknown): readonly string[] {
  if (typeof value === 'string') return [value];
  if (Array.isArray(value)) return value.flatMap(textsIn);
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(textsIn) : [];
}

/** Every string inside a value as a text of its own: also the names of fields, and numbers. */
export function* allTextsIn(value: unknown): Generator<string> {
  if (typeof value === 'string') yield value;
  else if (typeof value === 'number') yield String(value);
  else if (Array.isArray(value)) for (const item of value) yield* allTextsIn(item);
  else if (typeof value === 'object' && value !== null) {
    for (const [key, item] of Object.entries(value)) {
      yield key;
      yield* allTextsIn(item);
    }
  }
}

/** Cleans every text of a value, as `allTextsIn` finds them. Returns the same value if nothing changed. */
export function mapTexts(value: unknown, clean: (text: string) => string): unknown {
  if (typeof value === 'string') return clean(value);
  if (typeof value === 'number') {
    const text = String(value);
    const cleaned = clean(text);
    return cleaned === text ? value : cleaned;
  }
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) {
    const items: readonly unknown[] = value;
    const cleaned = items.map((item) => mapTexts(item, clean));
    return cleaned.every((item, index) => item === items[index]) ? value : cleaned;
  }
  const entries = Object.entries(value);
  const cleaned = entries.map(([key, item]) => [clean(key), mapTexts(item, clean)] as const);
  const isSame = cleaned.every(([key, item], index) => key === entries[index]?.[0] && item === entries[index]?.[1]);
  return isSame ? value : Object.fromEntries(cleaned);
}
