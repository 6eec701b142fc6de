import { walk, type CodeLanguage, type Syntax, type SyntaxNode } from './code-syntax.ts';

/** A piece of a file that can be rewritten as one. It consists of whole lines, so that it can be replaced by lines. */
export interface Span {
  /** `path:name:line`, unique in one reading of a project. */
  readonly id: string;
  readonly path: string;
  readonly language: CodeLanguage;
  /** `add`, `Cart.total`, `LIMITS` for a block of constants. */
  readonly name: string;
  /** The name without its class. */
  readonly shortName: string;
  readonly kind: 'function' | 'method' | 'class' | 'block';
  /** The class a method belongs to. */
  readonly container: string | null;
  /** 1-based, inclusive. */
  readonly startLine: number;
  readonly endLine: number;
  /** The last line of the signature (and the Python docstring), which stays when the body is hidden. */
  readonly headEndLine: number;
  /** White space in front of the first line. */
  readonly indent: string;
  /** Names that the span mentions: calls, attributes, variables. */
  readonly names: ReadonlySet<string>;
  /** Exported or public at the top level of its file. */
  readonly exported: boolean;
}

export interface CodeFile {
  readonly path: string;
  readonly language: CodeLanguage;
  readonly text: string;
}

/** Functions, methods, classes and top-level blocks of a file, in order. Nested functions belong to the outer one. */
export function findSpans(syntax: Syntax, file: CodeFile): readonly Span[] {
  const lines = file.text.split('\n');
  return syntax.withTree(file.language, file.text, (root) => {
    const spans: Span[] = [];
    collect(root, { file, lines, spans });
    return spans.sort((left, right) => left.startLine - right.startLine || right.endLine - left.endLine);
  });
}

interface Collector {
  readonly file: CodeFile;
  readonly lines: readonly string[];
  readonly spans: Span[];
}

function collect(root: SyntaxNode, into: Collector): void {
  let block: SyntaxNode[] = [];
  const flush = () => {
    addBlock(block, into);
    block = [];
  };
  // A constant is a block of its own; statements that define no name join their neighbors.
  const add = (node: SyntaxNode) => {
    const isNamed = definedValue(unwrap(node) ?? node) !== null;
    if (isNamed) flush();
    block.push(node);
    if (isNamed) flush();
  };
  for (const node of childrenOf(root)) {
    if (node.type === 'comment') continue;
    if (isImport(node) || isExportList(node)) flush();
    else if (!addDeclaration(node, null, into)) add(node);
    else flush();
  }
  flush();
}

function isImport(node: SyntaxNode): boolean {
  if (/^(import_statement|import_from_statement|future_import_statement|hash_bang_line)$/.test(node.type)) return true;
  return /^(const|let|var)\b[^=]*=\s*require\(/.test(node.text) || /^['"]use strict['"]/.test(node.text);
}

/** Whether a statement only lists exports, so that there is nothing to repair. */
function isExportList(node: SyntaxNode): boolean {
  return /^(export \{[^}]*\}|module\.exports = (\w+|\{[\w\s,]*\});?$|__all__ = )/.test(node.text);
}

/** Adds a function, class or object of functions; false when `node` is none of these. */
function addDeclaration(node: SyntaxNode, container: string | null, into: Collector): boolean {
  const inner = unwrap(node);
  if (inner === null) return false;
  if (isClass(inner)) {
    addClass(node, inner, into);
    return true;
  }
  const found = functionOf(inner);
  if (found === null) return addObject(inner, into);
  addFunction(node, { name: found.name, body: found.body, container }, into);
  return true;
}

/** The node inside an export, a decorator or a statement. */
function unwrap(node: SyntaxNode): SyntaxNode | null {
  switch (node.type) {
    case 'export_statement':
      return node.childForFieldName('declaration') ?? exportedValue(node);
    case 'decorated_definition':
      return node.childForFieldName('definition');
    case 'expression_statement':
      return node.namedChild(0);
    default:
      return node;
  }
}

/** The function inside `export default memo(function Cart() {…})`. */
function exportedValue(node: SyntaxNode): SyntaxNode | null {
  const value = node.childForFieldName('value');
  return value === null ? null : callback(value);
}

function isClass(node: SyntaxNode): boolean {
  return /^(class_definition|class_declaration|abstract_class_declaration|class)$/.test(node.type);
}

const functionTypes = new Set([
  'function_definition',
  'function_declaration',
  'generator_function_declaration',
  'method_definition',
  'arrow_function',
  'function_expression',
  'generator_function',
]);

/** The name and body if `node` defines one function, in any of the possible forms. */
function functionOf(node: SyntaxNode): { readonly name: string; readonly body: SyntaxNode } | null {
  const value = definedValue(node);
  const target = value?.value ?? node;
  if (!functionTypes.has(target.type)) return null;
  const body = target.childForFieldName('body');
  const name = value?.name ?? target.childForFieldName('name')?.text ?? 'default';
  return body === null ? null : { name, body };
}

/** `x = value`, `const x = value`, `exports.x = value`, `x: value`, a class field. */
function definedValue(node: SyntaxNode): { readonly name: string; readonly value: SyntaxNode } | null {
  const pair = node.type === 'lexical_declaration' || node.type === 'variable_declaration' ? node.namedChild(0) : node;
  if (pair === null || (pair !== node && node.namedChildCount !== 1)) return null;
  const name =
    pair.childForFieldName('name') ??
    pair.childForFieldName('left') ??
    pair.childForFieldName('key') ??
    pair.childForFieldName('property');
  const value = pair.childForFieldName('value') ?? pair.childForFieldName('right');
  if (name === null || value === null) return null;
  return { name: name.text.replace(/^(module\.)?exports\./, ''), value: callback(value) };
}

/** `memo((x) => …)` and `memo(forwardRef((x) => …))` define the function inside. */
function callback(value: SyntaxNode): SyntaxNode {
  for (let at = value; at.type === 'call_expression';) {
    const first = at.childForFieldName('arguments')?.namedChild(0) ?? null;
    if (first === null) return value;
    if (functionTypes.has(first.type)) return first;
    at = first;
  }
  return value;
}

function addObject(node: SyntaxNode, into: Collector): boolean {
  const object = definedValue(node)?.value;
  if (object === undefined || object.type !== 'object') return false;
  const methods = childrenOf(object).filter((child) => functionOf(child) !== null);
  const name = definedValue(node)?.name ?? null;
  for (const method of methods) addDeclaration(method, name, into);
  return methods.length > 0;
}

function addClass(node: SyntaxNode, inner: SyntaxNode, into: Collector): void {
  const name = inner.childForFieldName('name')?.text ?? 'default';
  const body = inner.childForFieldName('body');
  const firstMethod =
    body === null ? null : (childrenOf(body).find((child) => functionOf(unwrap(child) ?? child) !== null) ?? null);
  const headEnd =
    firstMethod === null ? inner.endPosition.row : Math.max(firstMethod.startPosition.row - 1, inner.startPosition.row);
  into.spans.push(makeSpan(node, { name, shortName: name, kind: 'class', container: null, headEndRow: headEnd }, into));
  if (body === null) return;
  for (const child of childrenOf(body)) addDeclaration(child, name, into);
}

function addFunction(
  node: SyntaxNode,
  found: { readonly name: string; readonly body: SyntaxNode; readonly container: string | null },
  into: Collector,
): void {
  const { name, body, container } = found;
  const bodyOnSameLine = body.startPosition.row;
  const docstring = into.file.language === 'python' ? docstringEnd(body) : null;
  const headEndRow =
    into.file.language === 'python'
      ? (docstring ?? Math.max(body.startPosition.row - 1, node.startPosition.row))
      : bodyOnSameLine;
  const kind = container === null ? 'function' : 'method';
  const fullName = container === null ? name : `${container}.${name}`;
  into.spans.push(makeSpan(node, { name: fullName, shortName: name, kind, container, headEndRow }, into));
}

function docstringEnd(body: SyntaxNode): number | null {
  const first = body.namedChild(0);
  const isDoc = first?.type === 'expression_statement' && first.namedChild(0)?.type === 'string';
  return isDoc ? first.endPosition.row : null;
}

function addBlock(nodes: readonly SyntaxNode[], into: Collector): void {
  const kept = nodes.filter((node) => into.file.language !== 'python' || node.namedChild(0)?.type !== 'string');
  const first = kept[0];
  const last = kept[kept.length - 1];
  if (first === undefined || last === undefined) return;
  const name = definedValue(unwrap(first) ?? first)?.name ?? `line ${first.startPosition.row + 1}`;
  const span = makeSpan(
    first,
    { name, shortName: name, kind: 'block', container: null, headEndRow: first.startPosition.row },
    into,
  );
  const names = new Set(kept.flatMap((node) => [...namesIn(node)]));
  into.spans.push({ ...span, endLine: endRow(last) + 1, headEndLine: span.startLine, names });
}

function makeSpan(
  node: SyntaxNode,
  about: Pick<Span, 'name' | 'shortName' | 'kind' | 'container'> & { readonly headEndRow: number },
  into: Collector,
): Span {
  const startLine = node.startPosition.row + 1;
  const firstLine = into.lines[node.startPosition.row] ?? '';
  return {
    id: `${into.file.path}:${about.name}:${startLine}`,
    path: into.file.path,
    language: into.file.language,
    name: about.name,
    shortName: about.shortName,
    kind: about.kind,
    container: about.container,
    startLine,
    endLine: endRow(node) + 1,
    headEndLine: Math.min(about.headEndRow, endRow(node)) + 1,
    indent: /^\s*/.exec(firstLine)?.[0] ?? '',
    names: namesIn(node),
    exported: node.type === 'export_statement' || (into.file.language === 'python' && !about.shortName.startsWith('_')),
  };
}

/** A node that ends at column 0 ends on the line before. */
function endRow(node: SyntaxNode): number {
  const { row, column } = node.endPosition;
  return column === 0 && row > node.startPosition.row ? row - 1 : row;
}

export function namesIn(root: SyntaxNode): ReadonlySet<string> {
  const names = new Set<string>();
  for (const node of walk(root)) if (node.type.endsWith('identifier')) names.add(node.text);
  return names;
}

export function childrenOf(node: SyntaxNode): SyntaxNode[] {
  return node.namedChildren.filter((child) => child !== null);
}

/** The lines of a span. */
export function textOfSpan(text: string, span: Pick<Span, 'startLine' | 'endLine'>): string {
  return text
    .split('\n')
    .slice(span.startLine - 1, span.endLine)
    .join('\n');
}
