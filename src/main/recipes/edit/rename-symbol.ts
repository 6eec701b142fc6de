import type { CodeFile } from '../code/code-spans.ts';
import { stemOf, walk, type Syntax, type SyntaxNode } from '../code/code-syntax.ts';

export interface Rename {
  readonly from: string;
  readonly to: string;
}

/** A file after the rename, and the number of places changed. */
export interface RenamedFile {
  readonly path: string;
  readonly text: string;
  readonly places: number;
}

const asked =
  /\brename\s+(?:[`'"]?[\w./-]+[`'"]?['’]s\s+)?(?:the\s+)?(?:(?:function|method|class|constant|variable)\s+)?[`'"]?([A-Za-z_$][\w$]*)[`'"]?(?:\(\))?\s+(?:(?:function|method|class|constant|variable)\s+)?(?:(?:in|of|from)\s+\S+\s+)?(?:to|into|as)\s+[`'"]?([A-Za-z_$][\w$]*)/i;

/**
 * The old and new name if a text asks to rename something that the project defines. "It" is what was named last: in the
 * text, otherwise in `topic`. Null: no rename is asked for, or its target is unclear.
 */
export function parseRenameRequest(task: string, topic: string, defined: ReadonlySet<string>): Rename | null {
  const [, name, to] = asked.exec(task) ?? [];
  if (name === undefined || to === undefined || name === to) return null;
  if (defined.has(name)) return { from: name, to };
  if (!/^(?:it|this|that)$/i.test(name)) return null;
  const mentioned = (topic.match(/[A-Za-z_$][\w$]*/g) ?? []).filter((word) => defined.has(word));
  const from = mentioned[0];
  return from === undefined || new Set(mentioned).size > 1 ? null : { from, to };
}

/**
 * Renames a top-level name of `definedIn` at its definition, in imports and exports, and where files that import it use
 * it. Keys, attributes of other things, strings and comments stay. Null if it is ambiguous: a local name or parameter
 * is equal, or the new name is used already.
 */
export function renameEverywhere(
  syntax: Syntax,
  files: readonly CodeFile[],
  rename: Rename,
  definedIn: string,
): readonly RenamedFile[] | null {
  const changed: RenamedFile[] = [];
  for (const file of files) {
    const edits = syntax.withTree(file.language, file.text, (root) => editsOf(root, file, rename, definedIn));
    if (edits === null) return null;
    if (edits.length === 0) continue;
    let { text } = file;
    for (const { from, to, put } of [...edits].sort((left, right) => right.from - left.from)) {
      text = text.slice(0, from) + put + text.slice(to);
    }
    changed.push({ path: file.path, text, places: edits.length });
  }
  return changed;
}

/** A piece of the text and its replacement. */
interface Edit {
  readonly from: number;
  readonly to: number;
  readonly put: string;
}

function editsOf(root: SyntaxNode, file: CodeFile, { from, to }: Rename, definedIn: string): Edit[] | null {
  const names = [...walk(root)].filter((node) => /identifier(?:_pattern)?$/.test(node.type));
  if (names.some((node) => node.text === to)) return null;
  const same = names.filter((node) => node.text === from);
  const module = stemOf(definedIn);
  const isOwner = file.path === definedIn;
  const sees = isOwner || same.some((node) => isImported(node));
  const edits: Edit[] = [];
  for (const node of same) {
    const use = useOf(node, module);
    if (use === 'leave' || (!sees && use !== 'of-module')) continue;
    if (use === 'unclear' && !(isOwner && isDefinition(node))) return null;
    const put = use === 'shorthand' ? `${from}: ${to}` : to;
    edits.push({ from: node.startIndex, to: node.endIndex, put });
  }
  for (const node of edits.length > 0 ? walk(root) : []) {
    const isListed = node.type === 'string_content' && node.text === from && /^__all__\b/.test(statementOf(node).text);
    if (isListed) edits.push({ from: node.startIndex, to: node.endIndex, put: to });
  }
  return edits;
}

type Use = 'rename' | 'leave' | 'unclear' | 'shorthand' | 'of-module';

function useOf(node: SyntaxNode, module: string): Use {
  const { parent } = node;
  if (parent === null) return 'unclear';
  switch (node.type) {
    case 'property_identifier':
      return parent.type === 'member_expression' ? memberUse(parent.childForFieldName('object'), module) : 'leave';
    case 'shorthand_property_identifier':
      return /^(?:module\.)?exports\b/.test(statementOf(node).text) ? 'rename' : 'shorthand';
    case 'shorthand_property_identifier_pattern':
      return isImported(node) ? 'rename' : 'unclear';
    default:
  }
  switch (parent.type) {
    case 'attribute':
      return isField(parent, 'attribute', node) ? memberUse(parent.childForFieldName('object'), module) : 'rename';
    case 'keyword_argument':
      return isField(parent, 'name', node) ? 'leave' : 'rename';
    case 'aliased_import':
    case 'import_specifier':
    case 'export_specifier':
      return isField(parent, 'alias', node) ? 'unclear' : 'rename';
    default:
      return isBinding(parent, node) ? 'unclear' : 'rename';
  }
}

/** `cart.total` is the name only if `cart` is the module that defines it; `exports.total` always is. */
function memberUse(object: SyntaxNode | null, module: string): Use {
  if (object === null) return 'leave';
  if (/^(?:module\.)?exports$/.test(object.text)) return 'rename';
  return object.text === module ? 'of-module' : 'leave';
}

/** Whether a node binds a name: a definition, a parameter or a local variable. */
function isBinding(parent: SyntaxNode, node: SyntaxNode): boolean {
  if (
    /parameter|^lambda|_pattern$|^pattern_list$|^(?:global|nonlocal)_statement$|^(?:rest|spread)_element$/.test(
      parent.type,
    )
  )
    return true;
  if (
    /^(?:for_statement|for_in_statement|for_in_clause|assignment|augmented_assignment|assignment_expression)$/.test(
      parent.type,
    )
  )
    return isField(parent, 'left', node);
  if (parent.type === 'arrow_function') return isField(parent, 'parameter', node);
  if (parent.type === 'variable_declarator') return isField(parent, 'name', node) && !isImported(node);
  if (/_(?:definition|declaration)$|^(?:class|function_expression)$/.test(parent.type))
    return isField(parent, 'name', node);
  return parent.type === 'as_pattern_target' || parent.type === 'catch_clause';
}

/** Whether it is the definition itself, in a statement of the file and not of a function. */
function isDefinition(node: SyntaxNode): boolean {
  const { parent } = node;
  if (parent === null || /parameter|pattern/.test(parent.type)) return false;
  const depth = (at: SyntaxNode | null): number => (at === null || at.parent === null ? 0 : 1 + depth(at.parent));
  const wrappers =
    /^(?:export_statement|decorated_definition|expression_statement|lexical_declaration|variable_declaration)$/;
  let levels = depth(parent);
  for (let at = parent.parent; at !== null; at = at.parent) if (wrappers.test(at.type)) levels -= 1;
  return levels <= 1;
}

function isImported(node: SyntaxNode): boolean {
  const { type, text } = statementOf(node);
  if (/^(?:import_statement|import_from_statement)$/.test(type)) return true;
  if (type === 'export_statement') return /\bfrom\s*['"]/.test(text);
  return /^(?:const|let|var)\b[^=]*=\s*(?:await\s+import|require)\(/.test(text);
}

/** The top-level statement that contains a node. */
function statementOf(node: SyntaxNode): SyntaxNode {
  let at = node;
  while (at.parent !== null && at.parent.parent !== null) at = at.parent;
  return at;
}

const isField = (parent: SyntaxNode, field: string, node: SyntaxNode): boolean =>
  parent.childForFieldName(field)?.id === node.id;
