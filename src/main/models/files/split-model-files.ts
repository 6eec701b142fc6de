/** The name of one file of a model in several files, as llama.cpp names and finds them. */
interface PartName {
  /** The path or name without the number. */
  readonly whole: string;
  /** Starts at 1. */
  readonly number: number;
  readonly count: number;
}

/** Null if the name is not that of a part. */
export function partNameOf(path: string): PartName | null {
  const [, whole, number, count] = /^(.+)-(\d{5})-of-(\d{5})\.gguf$/u.exec(path) ?? [];
  if (whole === undefined) return null;
  const name = { whole, number: Number(number), count: Number(count) };
  return name.number >= 1 && name.number <= name.count ? name : null;
}

/** All files of a model, by the path of its first: this one alone, or all parts in order. */
export function filesOf(path: string): readonly string[] {
  const name = partNameOf(path);
  return name?.number === 1 ? partPaths(name) : [path];
}

export function partPaths({ whole, count }: PartName): readonly string[] {
  const digits = (number: number): string => String(number).padStart(5, '0');
  return Array.from({ length: count }, (_, index) => `${whole}-${digits(index + 1)}-of-${digits(count)}.gguf`);
}
