import { walk, type CodeLanguage, type Syntax, type SyntaxNode } from './code-syntax.ts';

/**
 * Whether two versions of code differ only in comments, docstrings, type annotations and imports. Then they do the
 * same, so nothing need be run.
 */
export function differInNotesOnly(syntax: Syntax, language: CodeLanguage, before: string, after: string): boolean {
  const tokensOf = (text: string): string => syntax.withTree(language, text, (root) => tokens(root).join(' '));
  return tokensOf(before) === tokensOf(after);
}

const notes =
  /^(?:comment|type|type_annotation|type_alias_statement|import_statement|import_from_statement|future_import_statement)$/;

function tokens(node: SyntaxNode): readonly string[] {
  if (notes.test(node.type) || isDocstring(node)) return [];
  // Signs that only introduce an annotation must not make a difference.
  if (node.childCount === 0) return /^(?::|->|\s*)$/.test(node.text) ? [] : [node.text];
  if (node.type === 'string') return [node.text];
  return Array.from({ length: node.childCount }, (_, index) => node.child(index)).flatMap((child) =>
    child === null ? [] : tokens(child),
  );
}

function isDocstring(node: SyntaxNode): boolean {
  return node.type === 'expression_statement' && node.namedChildCount === 1 && node.namedChild(0)?.type === 'string';
}

const builtIn = new Set(
  'int str float bool list dict tuple set frozenset bytes bytearray object type None complex Exception range Ellipsis'.split(
    ' ',
  ),
);
const ofTyping = new Set(
  'Any Callable Dict FrozenSet Generator Generic Iterable Iterator List Literal Mapping MutableMapping NamedTuple NoReturn Optional Protocol Sequence Set TextIO Tuple Type TypeVar Union'.split(
    ' ',
  ),
);

/**
 * A Python text with a `from typing import …` for the names that its annotations use. Null if they use a name that is
 * defined nowhere: Python evaluates annotations when it loads the file, and would stop there.
 */
export function withTyping(syntax: Syntax, text: string): string | null {
  const { used, known } = syntax.withTree('python', text, namesOf);
  const missing = [...used].filter((name) => !known.has(name) && !builtIn.has(name));
  if (missing.some((name) => !ofTyping.has(name))) return null;
  if (missing.length === 0) return text;
  const lines = text.split('\n');
  const line = `from typing import ${[...new Set(missing)].sort().join(', ')}`;
  const at = lines.findLastIndex((one, index) => index < 60 && /^(?:import |from \S+ import )/.test(one)) + 1;
  return [...lines.slice(0, at), line, ...(at === 0 ? ['', ''] : []), ...lines.slice(at)].join('\n');
}

interface Names {
  readonly used: ReadonlySet<string>;
  readonly known: ReadonlySet<string>;
}

function namesOf(root: SyntaxNode): Names {
  const used = new Set<string>();
  const known = new Set<string>();
  for (const node of walk(root)) {
    if (node.type !== 'identifier') continue;
    if (isInType(node)) {
      if (!(node.parent?.type === 'attribute' && node.parent.childForFieldName('object')?.id !== node.id))
        used.add(node.text);
    } else if (/import|aliased|dotted_name|class_definition|^assignment$/.test(node.parent?.type ?? ''))
      known.add(node.text);
  }
  return { used, known };
}

function isInType(node: SyntaxNode): boolean {
  for (let at = node.parent; at !== null; at = at.parent) if (at.type === 'type') return true;
  return false;
}
