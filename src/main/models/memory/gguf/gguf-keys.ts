/** The metadata of a GGUF header, with names as in the file and values as in JSON. Their types are not checked. */
export type GgufKeys = Readonly<Record<string, unknown>>;

/** Reads keys under the architecture's own prefix ("llama.block_count"). */
export interface KeyReader {
  readonly architecture: string;
  /** Null if the key is missing, or is not one finite number. */
  number(name: string): number | null;
  /** One number for each layer. The file may give one number for all. Null if the key has another form. */
  perLayer(name: string, layers: number): readonly number[] | null;
  /** One flag for each layer, from booleans or numbers. */
  flags(name: string, layers: number): readonly boolean[] | null;
  has(name: string): boolean;
  /** False if the key is missing. */
  flag(name: string): boolean;
}

/** Null for a header that does not name its architecture. */
export function createKeyReader(keys: GgufKeys): KeyReader | null {
  const architecture = keys['general.architecture'];
  if (typeof architecture !== 'string' || architecture === '') return null;
  const value = (name: string): unknown => keys[`${architecture}.${name}`];
  return {
    architecture,
    number: (name) => numberOf(value(name)),
    perLayer(name, layers) {
      const found = value(name);
      const single = numberOf(found);
      if (single !== null) return Array.from({ length: layers }, () => single);
      if (!Array.isArray(found) || found.length < layers) return null;
      const numbers = found.slice(0, layers).map(numberOf);
      return numbers.every((entry): entry is number => entry !== null) ? numbers : null;
    },
    flags(name, layers) {
      const found = value(name);
      if (!Array.isArray(found) || found.length < layers) return null;
      return found.slice(0, layers).map((entry) => entry === true || (typeof entry === 'number' && entry !== 0));
    },
    flag: (name) => value(name) === true,
    has: (name) => value(name) !== undefined && value(name) !== null,
  };
}

/** Null for anything but one finite number. */
export function numberOf(value: unknown): number | null {
  return typeof value === 'number' && Number.isFinite(value) ? value : null;
}
