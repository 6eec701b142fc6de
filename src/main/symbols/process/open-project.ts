import { createHash } from 'node:crypto';
import { mapText } from '../rank/map-text.ts';
import { rankDefinitions, testsLast, type RankAsk } from '../rank/rank-definitions.ts';
import { symbolFileOf, type SymbolFile } from '../rank/symbol-file.ts';
import { tagExtractor } from '../tags/extract-tags.ts';
import type { FileTags } from '../tags/tag.ts';
import { tagLanguageOf } from '../tags/tag-languages.ts';
import type { FoundNames, FoundSymbol, ProjectMap, RankedSymbol } from './symbol-protocol.ts';
import type { KeptFile, TagStore } from './tag-store.ts';

/** The names of one project, held in memory while they are used. */
export interface OpenProject {
  /** Takes in which files there are. Returns the paths of those whose text is needed. */
  readonly sync: (files: readonly (readonly [path: string, fingerprint: string])[]) => readonly string[];
  readonly add: (files: readonly NewText[]) => Promise<void>;
  readonly rank: (ask: RankAsk & { readonly limit: number }) => readonly RankedSymbol[];
  readonly map: (ask: RankAsk & { readonly tokens: number }) => ProjectMap;
  readonly find: (names: readonly string[]) => FoundNames;
  readonly outline: (path: string) => readonly FoundSymbol[];
}

interface NewText {
  readonly path: string;
  readonly fingerprint: string;
  /** Null: it cannot be read as text. */
  readonly text: string | null;
}

type HeldFile = KeptFile & SymbolFile;

const mostDefinitions = 50;
const mostReferences = 200;
const nothing: FileTags = { definitions: [], references: [], isCut: false };

export function openProject(store: TagStore, project: string): OpenProject {
  const held = new Map<string, HeldFile>();
  const names = new Map<string, string>();
  /** One string for each name, however many files have it. */
  const oneOf = (name: string): string => {
    const known = names.get(name);
    if (known !== undefined) return known;
    names.set(name, name);
    return name;
  };
  const hold = (path: string, kept: KeptFile, tags: FileTags): void => {
    const language = tagLanguageOf(path) ?? 'python';
    const references = tags.references.map(({ name, line }) => ({ name: oneOf(name), line }));
    held.set(path, { ...kept, ...symbolFileOf({ path, language, ...tags, references }) });
  };
  for (const [path, kept] of store.files(project)) {
    const tags = store.tags(kept.key);
    if (tags !== null) hold(path, kept, tags);
  }
  const files = (): readonly HeldFile[] => [...held.values()].sort((left, right) => (left.path < right.path ? -1 : 1));
  return {
    sync: (present) => {
      const paths = new Set(present.map(([path]) => path));
      const gone = [...held.keys()].filter((path) => !paths.has(path));
      for (const path of gone) held.delete(path);
      if (gone.length > 0) store.remove(project, gone);
      return present.flatMap(([path, fingerprint]) => (held.get(path)?.fingerprint === fingerprint ? [] : [path]));
    },
    add: async (texts) => {
      const parsed: (KeptFile & { readonly path: string; readonly tags: FileTags })[] = [];
      for (const one of texts) {
        const key = keyOf(one);
        const tags = store.tags(key) ?? (await tagsOf(one));
        parsed.push({ path: one.path, fingerprint: one.fingerprint, key, tags });
      }
      store.put(project, parsed);
      for (const { path, tags, ...kept } of parsed) hold(path, kept, tags);
    },
    rank: ({ limit, ...ask }) =>
      rankDefinitions(files(), ask)
        .slice(0, limit)
        .filter(({ score }) => score > 0)
        .map(({ path, definition, score }) => ({ path, ...definition, score })),
    map: ({ tokens, ...ask }) => {
      const ranked = rankDefinitions(files(), ask);
      return { ...mapText(ranked, tokens), all: { files: held.size, definitions: ranked.length } };
    },
    find: (asked) => findNames(files(), asked, (key) => store.tags(key) ?? nothing),
    outline: (path) => (held.get(path)?.definitions ?? []).map((definition) => ({ path, ...definition })),
  };
}

function keyOf({ path, text }: NewText): string {
  const hash = createHash('sha256').update(text ?? '\0');
  return `${tagLanguageOf(path) ?? ''}:${hash.digest('base64url')}`;
}

async function tagsOf({ path, text }: NewText): Promise<FileTags> {
  const language = tagLanguageOf(path);
  if (language === null || text === null) return nothing;
  return (await tagExtractor(language))(text);
}

/** `Cart.add`, `Cart::add` and `Cart#add` are the `add` of a `Cart`. What tests have comes last, where some are left out. */
function findNames(all: readonly HeldFile[], asked: readonly string[], tagsFor: (key: string) => FileTags): FoundNames {
  const files = testsLast(all);
  const wanted = asked.map((name) => {
    const parts = name.split(/\.|::|#|->/u).filter((part) => part !== '');
    return { name: parts.at(-1) ?? name, container: parts.length > 1 ? (parts.at(-2) ?? null) : null };
  });
  const definitions = files.flatMap(({ path, definitions: own }) =>
    own.flatMap((definition): readonly FoundSymbol[] =>
      wanted.some(
        ({ name, container }) =>
          name === definition.name &&
          (container === null || container === definition.container || isIn(path, container)),
      )
        ? [{ path, ...definition }]
        : [],
    ),
  );
  const references: FoundNames['references'][number][] = [];
  const found = {
    definitions: definitions.slice(0, mostDefinitions),
    moreDefinitions: Math.max(0, definitions.length - mostDefinitions),
    references,
  };
  for (const file of files) {
    if (!wanted.some(({ name }) => file.uses.has(name))) continue;
    for (const { name, line } of tagsFor(file.key).references) {
      if (!wanted.some((one) => one.name === name)) continue;
      if (references.length === mostReferences) return { ...found, hasMoreReferences: true };
      references.push({ path: file.path, line, name, inside: aroundLine(file, line) });
    }
  }
  return { ...found, hasMoreReferences: false };
}

/** `cart.total` may be the `total` of the file `cart.py`. */
function isIn(path: string, module: string): boolean {
  return path.slice(path.lastIndexOf('/') + 1).replace(/\.[^.]+$/u, '') === module;
}

function aroundLine({ definitions }: SymbolFile, line: number): string | null {
  const around = definitions.filter((one) => one.line <= line && line <= one.endLine && one.endLine > one.line);
  const inner = around.at(-1);
  return inner === undefined ? null : inner.container === null ? inner.name : `${inner.container}.${inner.name}`;
}
