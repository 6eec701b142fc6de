/**
 * Works something out once for each object, for as long as the object lives. Only for objects that never change and
 * are the same ones from call to call: what is made anew each time gains nothing.
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
