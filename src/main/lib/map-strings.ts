/** Deeper nesting is cut, so that a hostile value cannot exhaust the stack. */
const deepest = 200;

/**
 * `property`: the property whose value, or array of values, the text is in; null at the top, and for the name of a
 * property.
 */
type Change = (text: string, property: string | null) => string;

/**
 * The value as JSON would store it (no `undefined`, finite numbers, `toJSON` applied), with each text in it changed,
 * including names of properties. Parts that need no change are shared with the original.
 */
export function mapStrings<T>(value: T, change: Change): T {
  return mapped(value, { change, property: null, depth: 0 });
}

interface Where {
  readonly change: Change;
  readonly property: string | null;
  readonly depth: number;
}

function mapped<T>(value: T, where: Where): T;
function mapped(value: unknown, where: Where): unknown {
  if (typeof value === 'string') return where.change(value, where.property);
  if (typeof value === 'number') return Number.isFinite(value) ? value : null;
  if (typeof value === 'bigint') return value.toString();
  if (typeof value !== 'object' || value === null) return value;
  if (where.depth > deepest) return '[nested too deep]';
  const inside = { ...where, depth: where.depth + 1 };
  if (Array.isArray(value)) return mappedArray(value, inside);
  if ('toJSON' in value && typeof value.toJSON === 'function') return mapped(value.toJSON(), inside);
  return mappedObject(value, inside);
}

function mappedArray(items: readonly unknown[], where: Where): readonly unknown[] {
  let copy: unknown[] | null = null;
  for (let index = 0; index < items.length; index += 1) {
    const item = items[index];
    const plain = isNothing(item) ? null : mapped(item, where);
    if (copy === null && !Object.is(plain, item)) copy = items.slice(0, index);
    copy?.push(plain);
  }
  return copy ?? items;
}

function mappedObject(value: object, where: Where): object {
  const changed = new Map<string, unknown>();
  const entries = Object.entries(value);
  for (const [key, item] of entries) {
    const plain = isNothing(item) ? undefined : mapped<unknown>(item, { ...where, property: key });
    const newKey = where.change(key, null);
    if (!Object.is(plain, item) || newKey !== key || plain === undefined) changed.set(key, plain);
  }
  if (changed.size === 0) return value;
  const kept = entries.filter(([key]) => !changed.has(key) || changed.get(key) !== undefined);
  return Object.fromEntries(
    kept.map(([key, item]) => [where.change(key, null), changed.has(key) ? changed.get(key) : item]),
  );
}

/** Whether JSON leaves the value out. */
function isNothing(value: unknown): boolean {
  return value === undefined || typeof value === 'function' || typeof value === 'symbol';
}
