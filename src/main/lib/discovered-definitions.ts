/** What a discovered file must export: the parts of a definition, and its name. */
interface Expected<T> {
  /** The word for it in an error: "rule". */
  readonly what: string;
  /** The parts that every definition has, with the `typeof` of each. */
  readonly parts: Readonly<Partial<Record<keyof T, 'string' | 'object' | 'function'>>>;
  readonly nameOf: (definition: T) => string;
}

/**
 * The definitions of discovered files, in the order of their names. Throws at start for a file that exports something
 * else, and for a duplicate name.
 */
export function collectDefinitions<T extends object>(
  modules: Readonly<Record<string, unknown>>,
  { what, parts, nameOf }: Expected<T>,
): ReadonlyMap<string, T> {
  const isDefinition = (module: unknown): module is T =>
    typeof module === 'object' &&
    module !== null &&
    Object.entries(parts).every(([part, type]) => typeof Reflect.get(module, part) === type);
  const found = new Map<string, T>();
  for (const [file, module] of Object.entries(modules)) {
    if (!isDefinition(module)) throw new Error(`${file} does not export a ${what}`);
    const name = nameOf(module);
    if (found.has(name)) throw new Error(`two ${what}s are called ${name}; one of them is ${file}`);
    found.set(name, module);
  }
  return new Map([...found].sort(([left], [right]) => (left < right ? -1 : 1)));
}
