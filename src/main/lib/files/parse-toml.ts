import { parse } from 'smol-toml';
import type { TomlTableWithoutBigInt, TomlValueWithoutBigInt } from 'smol-toml';

/** A `pyproject.toml` has some kilobytes: what is much larger is no settings file, and would hold up the core. */
const maxCharacters = 1024 * 1024;
/** Lists and tables within each other, on one line. */
const maxDepth = 64;

export type TomlTable = TomlTableWithoutBigInt;

/** The tables of a file that somebody else wrote; none where it is broken or too large. Never throws. */
export function parseToml(text: string): TomlTable {
  if (text.length > maxCharacters) return {};
  try {
    return parse(text, { unsafeKeyBehaviour: 'drop', maxDepth });
  } catch {
    // Whoever works on the project will see that its file is broken; its own tools take nothing from it either.
    return {};
  }
}

/** The table behind `names`, one within the other; null: there is none. */
export function tomlTable(from: TomlTable, ...names: readonly string[]): TomlTable | null {
  let found: TomlTable = from;
  for (const name of names) {
    const next = found[name];
    if (!isTable(next)) return null;
    found = next;
  }
  return found;
}

function isTable(value: TomlValueWithoutBigInt | undefined): value is TomlTable {
  return typeof value === 'object' && !Array.isArray(value) && !(value instanceof Date);
}
