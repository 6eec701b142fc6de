import { Parser, Query, type Node, type QueryMatch } from 'web-tree-sitter';
import { loadGrammar } from '../../lib/syntax/grammars.ts';
import type { DefinitionTag, FileTags, ReferenceTag } from './tag.ts';
import { tagLanguageParts, type TagLanguage } from './tag-languages.ts';

/** Finds the tags in the text of a file. Takes a few milliseconds for each thousand lines. */
export type ExtractTags = (text: string) => FileTags;

export interface ExtractLimits {
  /** A larger text has no tags. */
  readonly mostCharacters: number;
  /** For one file, in milliseconds. */
  readonly parseMs: number;
  readonly mostTags: number;
}

export const usualLimits: ExtractLimits = { mostCharacters: 1024 * 1024, parseMs: 2_000, mostTags: 20_000 };

/** Lines this long on average are made by a program, as in a minified file. */
const longLine = 400;
const mostSignature = 160;
const mostName = 120;

const nothing: FileTags = { definitions: [], references: [], isCut: true };

interface Extractor {
  readonly parser: Parser;
  readonly query: Query;
}

const extractors = new Map<TagLanguage, Promise<Extractor>>();

/** Loads what a language needs once. */
export async function tagExtractor(language: TagLanguage, limits = usualLimits): Promise<ExtractTags> {
  const known = extractors.get(language) ?? makeExtractor(language);
  extractors.set(language, known);
  known.catch(() => extractors.delete(language));
  const extractor = await known;
  return (text) => (isMadeByProgram(text, limits) ? nothing : extract(extractor, text, limits));
}

async function makeExtractor(language: TagLanguage): Promise<Extractor> {
  const { grammar, queries } = tagLanguageParts(language);
  const loaded = await loadGrammar(grammar);
  const parser = new Parser();
  parser.setLanguage(loaded);
  return { parser, query: new Query(loaded, queries.join('\n')) };
}

function isMadeByProgram(text: string, { mostCharacters }: ExtractLimits): boolean {
  if (text.length > mostCharacters) return true;
  if (text.length < 20 * longLine) return false;
  let lines = 1;
  for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) lines += 1;
  return text.length / lines > longLine;
}

function extract({ parser, query }: Extractor, text: string, limits: ExtractLimits): FileTags {
  const until = performance.now() + limits.parseMs;
  const progressCallback = (): boolean => performance.now() > until;
  const tree = parser.parse(text, null, { progressCallback });
  if (tree === null) {
    // Otherwise the next text would go on from here.
    parser.reset();
    return nothing;
  }
  try {
    const matches = query.matches(tree.rootNode, { matchLimit: 4_096, progressCallback });
    return tagsOf(matches, text, limits.mostTags);
  } finally {
    tree.delete();
  }
}

interface Found {
  readonly tag: DefinitionTag;
  readonly start: number;
  readonly end: number;
}

function tagsOf(matches: readonly QueryMatch[], text: string, most: number): FileTags {
  const definitions = new Map<number, Found>();
  const references = new Map<number, ReferenceTag>();
  let isCut = false;
  for (const { captures } of matches) {
    const named = captures.find(({ name }) => name === 'name')?.node;
    const about = captures.find(({ name }) => name.startsWith('definition.') || name.startsWith('reference.'));
    if (named === undefined || about === undefined) continue;
    if (definitions.size + references.size >= most) {
      isCut = true;
      break;
    }
    const name = text.slice(named.startIndex, named.endIndex);
    if (name === '' || name.length > mostName || /\s/u.test(name)) continue;
    const [kind, what = ''] = about.name.split('.');
    if (kind === 'reference') references.set(named.startIndex, { name, line: named.startPosition.row + 1 });
    else {
      // A name may fit two patterns. What it is besides a constant says more.
      const known = definitions.get(named.startIndex);
      if (known !== undefined && known.tag.what !== 'constant') continue;
      const scope = captures.find((capture) => capture.name === 'local.scope')?.node.text;
      definitions.set(named.startIndex, definitionOf(about.node, { name, what, scope }, text));
    }
  }
  for (const at of definitions.keys()) references.delete(at);
  const lines = [...references.values()].sort(
    (left, right) => left.line - right.line || compare(left.name, right.name),
  );
  return { definitions: withContainers([...definitions.values()]), references: lines, isCut };
}

interface Named {
  readonly name: string;
  readonly what: string;
  readonly scope: string | undefined;
}

function definitionOf(captured: Node, { name, what, scope }: Named, text: string): Found {
  const node = wholeOf(captured);
  const tag: DefinitionTag = {
    name,
    what,
    line: node.startPosition.row + 1,
    endLine: node.endPosition.row + 1,
    signature: signatureOf(node, what, text),
    container: scope ?? ownerOf(node, text),
  };
  return { tag, start: node.startIndex, end: node.endIndex };
}

/** In C, the name of a function is in a part of its definition. */
function wholeOf(node: Node): Node {
  if (node.type !== 'function_declarator') return node;
  for (let above = node.parent; above !== null; above = above.parent) {
    if (['function_definition', 'declaration', 'field_declaration'].includes(above.type)) return above;
    if (!above.type.endsWith('_declarator')) break;
  }
  return node;
}

/** The type that a method outside of its type's own text belongs to: in Go by its receiver, in Rust by `impl`. */
function ownerOf(node: Node, text: string): string | null {
  const receiver = node.childForFieldName('receiver');
  if (receiver !== null) return receiver.text.match(/[\p{L}\p{N}_]+/gu)?.at(-1) ?? null;
  if (node.type !== 'function_item') return null;
  const around = node.parent?.parent ?? null;
  const owner = around?.type === 'impl_item' ? around.childForFieldName('type') : null;
  return owner === null ? null : text.slice(owner.startIndex, Math.min(owner.endIndex, owner.startIndex + mostName));
}

function signatureOf(node: Node, what: string, text: string): string {
  const value = node.childForFieldName('value') ?? node.childForFieldName('right');
  const body = node.childForFieldName('body') ?? value?.childForFieldName('body') ?? null;
  const end = Math.min(body?.startIndex ?? node.endIndex, node.startIndex + 4 * mostSignature);
  let shown = text.slice(node.startIndex, end);
  // The value of a constant says nothing about its use, and may be a secret.
  if (what === 'constant' || what === 'field') shown = (shown.split('=')[0] ?? '').split('{')[0] ?? '';
  else if (body === null) shown = shown.split('\n')[0] ?? '';
  const line = shown.replaceAll(/\s+/gu, ' ').trim();
  const cut = line.length > mostSignature ? `${line.slice(0, mostSignature)}…` : line;
  return cut.replace(/(?:[{:;=]|=>)$/u, '').trimEnd();
}

/** Sorted by line; each with the name of the definition around it, if nothing else says what it belongs to. */
function withContainers(found: readonly Found[]): readonly DefinitionTag[] {
  const sorted = found.toSorted((left, right) => left.start - right.start || right.end - left.end);
  const open: Found[] = [];
  return sorted.map((one) => {
    while (open.length > 0 && (open.at(-1)?.end ?? 0) <= one.start) open.pop();
    const around = open.at(-1);
    open.push(one);
    return { ...one.tag, container: one.tag.container ?? around?.tag.name ?? null };
  });
}

function compare(left: string, right: string): number {
  return left < right ? -1 : left > right ? 1 : 0;
}
