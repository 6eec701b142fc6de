import type { DefinitionTag, TaggedFile } from '../tags/tag.ts';

/** A file as the ranking sees it: what it defines, and how often it uses which names. */
export interface SymbolFile {
  readonly path: string;
  readonly definitions: readonly DefinitionTag[];
  readonly uses: ReadonlyMap<string, number>;
}

export function symbolFileOf({ path, definitions, references }: TaggedFile): SymbolFile {
  const uses = new Map<string, number>();
  for (const { name } of references) uses.set(name, (uses.get(name) ?? 0) + 1);
  return { path, definitions, uses };
}
