/**
 * Computes a value once per object and keeps it as long as the object lives. Only for objects that never change and are
 * reused from call to call; for objects that are created each time it gains nothing.
 */
export function memo<K extends object, V>(make: (key: K) => V): (key: K) => V {
  const known = new WeakMap<K, V>();
  return (key) => {
    const kept = known.get(key);
    if (kept !== undefined) return kept;
    const value = make(key);
    known.set(key, value);
    return value;
  };
}
