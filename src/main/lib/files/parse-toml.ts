import { parse } from 'smol-toml';
import type { TomlTableWithoutBigInt, TomlValueWithoutBigInt } from 'smol-toml';

/** A `pyproject.toml` has a few kilobytes. A much larger file is no settings file, and would block the core. */
const maxCharacters = 1024 * 1024;
/** The most lists and tables nested on one line. */
const maxDepth = 64;

export type TomlTable = TomlTableWithoutBigInt;

/** The tables of an untrusted file; none if it is broken or too large. Never throws. */
export function parseToml(text: string): TomlTable {
  if (text.length > maxCharacters) return {};
  try {
    return parse(text, { unsafeKeyBehaviour: 'drop', maxDepth });
  } catch {
    // A broken file does not stop anything here: the project's own tools cannot read it either.
    return {};
  }
}

/** The table at `names`, nested in each other; null: there is none. */
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
