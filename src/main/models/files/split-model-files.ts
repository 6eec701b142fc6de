/** What the name of a file says that is one of several which make a model, as llama.cpp names and finds them. */
interface PartName {
  /** The path, or the name, without the number. */
  readonly whole: string;
  /** From 1. */
  readonly number: number;
  readonly count: number;
}

/** Null for the name of a whole file. */
export function partNameOf(path: string): PartName | null {
  const [, whole, number, count] = /^(.+)-(\d{5})-of-(\d{5})\.gguf$/u.exec(path) ?? [];
  if (whole === undefined) return null;
  const name = { whole, number: Number(number), count: Number(count) };
  return name.number >= 1 && name.number <= name.count ? name : null;
}

/** Where all the files of a model are, by the name of its first one: that one alone, or all its parts in their order. */
export function filesOf(path: string): readonly string[] {
  const name = partNameOf(path);
  return name?.number === 1 ? partPaths(name) : [path];
}

export function partPaths({ whole, count }: PartName): readonly string[] {
  const digits = (number: number): string => String(number).padStart(5, '0');
  return Array.from({ length: count }, (_, index) => `${whole}-${digits(index + 1)}-of-${digits(count)}.gguf`);
}
