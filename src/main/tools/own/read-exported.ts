import type { CodeLanguage, SyntaxNode } from '../../recipes/code/code-syntax.ts';

/** What is wrong with a file, in a sentence that starts with the line if it is known. */
export interface ToolProblem {
  readonly problem: string;
}

/** A declaration read from a text, before its parts are checked. `line`: where it begins. */
export type RawDeclaration =
  | { readonly value: Readonly<Record<string, unknown>>; readonly line: number }
  | ToolProblem
  | null;

/** Thrown for a value that is not a literal, so that the code would have to run to find it. */
class NotWritten extends Error {
  readonly line: number;

  constructor(node: SyntaxNode, what: string) {
    super(what);
    this.line = lineOf(node);
  }
}

/** Deepest nesting of values, and of names for values. */
const deepest = 40;
/** Most values in a declaration. Also stops a value that multiplies by repeating others. */
const mostValues = 5_000;

/** The function is not part of the declaration, but it must exist. */
const functionKey = 'execute';

interface Reading {
  readonly names: ReadonlyMap<string, SyntaxNode>;
  left: number;
}

/**
 * The object that a file exports, read from literals only: texts, numbers, lists, objects, and names for these. Runs
 * nothing. Null: the file exports no object.
 */
export function readExported(root: SyntaxNode, language: CodeLanguage): RawDeclaration {
  const { names, object } = exportIn(root, language);
  if (object === undefined) return null;
  const line = lineOf(object);
  try {
    const reading: Reading = { names, left: mostValues };
    const found = resolved(object, reading, 0);
    if (found.type !== 'object' && found.type !== 'dictionary')
      throw new NotWritten(found, 'the tool is no object that is written out here');
    const { [functionKey]: hasFunction, ...value } = objectOf(found, reading, 0);
    if (hasFunction === undefined && !(language === 'python' && hasPythonFunction(root)))
      return { problem: `Line ${line}: the tool has no function "${functionKey}".` };
    return { value, line };
  } catch (error) {
    if (!(error instanceof NotWritten)) throw error;
    return {
      problem: `Line ${error.line}: ${error.message}. The file is read without running it: write the value out, or use a header.`,
    };
  }
}

function exportIn(root: SyntaxNode, language: CodeLanguage) {
  const names = language === 'python' ? pythonNames(root) : scriptNames(root);
  return { names, object: language === 'python' ? names.get('tool') : exportedObject(root, names) };
}

function lineOf(node: SyntaxNode): number {
  return node.startPosition.row + 1;
}

function childrenOf(node: SyntaxNode): readonly SyntaxNode[] {
  return node.namedChildren.flatMap((child) => (child === null || child.type === 'comment' ? [] : [child]));
}

function scriptNames(root: SyntaxNode): ReadonlyMap<string, SyntaxNode> {
  const names = new Map<string, SyntaxNode>();
  for (const statement of childrenOf(root)) {
    const declaration = statement.type === 'export_statement' ? statement.childForFieldName('declaration') : statement;
    if (declaration?.type !== 'lexical_declaration' || declaration.childForFieldName('kind')?.text !== 'const')
      continue;
    for (const one of childrenOf(declaration)) {
      const [name, value] = [one.childForFieldName('name'), one.childForFieldName('value')];
      if (name?.type === 'identifier' && value) names.set(name.text, value);
    }
  }
  return names;
}

/** `export default`, else `module.exports =`, else an exported `tool`. */
function exportedObject(root: SyntaxNode, names: ReadonlyMap<string, SyntaxNode>): SyntaxNode | undefined {
  const statements = childrenOf(root);
  for (const statement of statements) {
    const value = statement.type === 'export_statement' ? statement.childForFieldName('value') : null;
    if (value) return value;
  }
  for (const statement of statements) {
    const [expression] = statement.type === 'expression_statement' ? childrenOf(statement) : [];
    if (expression?.type !== 'assignment_expression') continue;
    const right = expression.childForFieldName('right');
    if (expression.childForFieldName('left')?.text === 'module.exports' && right) return right;
  }
  const isTool = (statement: SyntaxNode): boolean => /^export\s+const\s+tool\b/.test(statement.text);
  return statements.some(isTool) ? names.get('tool') : undefined;
}

function pythonNames(root: SyntaxNode): ReadonlyMap<string, SyntaxNode> {
  const names = new Map<string, SyntaxNode>();
  for (const statement of childrenOf(root)) {
    const [assignment] = statement.type === 'expression_statement' ? childrenOf(statement) : [];
    const [left, right] = [assignment?.childForFieldName('left'), assignment?.childForFieldName('right')];
    if (assignment?.type === 'assignment' && left?.type === 'identifier' && right) names.set(left.text, right);
  }
  return names;
}

function hasPythonFunction(root: SyntaxNode): boolean {
  return childrenOf(root).some((statement) => {
    const plain = statement.type === 'decorated_definition' ? statement.childForFieldName('definition') : statement;
    return plain?.type === 'function_definition' && plain.childForFieldName('name')?.text === functionKey;
  });
}

/** Removes TypeScript syntax and brackets around a value, and follows names. */
function resolved(node: SyntaxNode, reading: Reading, depth: number): SyntaxNode {
  reading.left -= 1;
  if (depth > deepest || reading.left < 0)
    throw new NotWritten(node, 'the declaration is too large or nested too deep');
  const [first] = childrenOf(node);
  const isAround = ['parenthesized_expression', 'as_expression', 'satisfies_expression'].includes(node.type);
  if (isAround && first !== undefined) return resolved(first, reading, depth + 1);
  const named = node.type === 'identifier' ? reading.names.get(node.text) : undefined;
  return named === undefined ? node : resolved(named, reading, depth + 1);
}

function objectOf(node: SyntaxNode, reading: Reading, depth: number): Record<string, unknown> {
  const entries = childrenOf(node).map((part): readonly [string, unknown] => {
    if (part.type === 'method_definition') return methodOf(part);
    if (part.type === 'shorthand_property_identifier') {
      if (part.text === functionKey) return [functionKey, true];
      const named = reading.names.get(part.text);
      if (named !== undefined) return [part.text, valueOf(named, reading, depth + 1)];
    }
    const [key, value] = [part.childForFieldName('key'), part.childForFieldName('value')];
    if (part.type !== 'pair' || !key || !value) throw new NotWritten(part, 'this part of the declaration is computed');
    const name = key.type === 'property_identifier' ? key.text : valueOf(key, reading, depth + 1);
    if (typeof name !== 'string') throw new NotWritten(key, 'this key is no text');
    return [name, depth === 0 && name === functionKey ? true : valueOf(value, reading, depth + 1)];
  });
  return Object.fromEntries(entries);
}

function methodOf(part: SyntaxNode): readonly [string, unknown] {
  const name = part.childForFieldName('name')?.text;
  if (name === functionKey) return [functionKey, true];
  throw new NotWritten(part, `only "${functionKey}" may be a function`);
}

function valueOf(outer: SyntaxNode, reading: Reading, depth: number): unknown {
  const node = resolved(outer, reading, depth);
  switch (node.type) {
    case 'string':
    case 'template_string':
    case 'concatenated_string':
      return textOf(node);
    case 'number':
    case 'integer':
    case 'float':
      return numberOf(node);
    case 'true':
      return true;
    case 'false':
      return false;
    case 'null':
    case 'none':
      return null;
    case 'array':
    case 'list':
    case 'tuple':
      return childrenOf(node).map((item) => valueOf(item, reading, depth + 1));
    case 'object':
    case 'dictionary':
      return objectOf(node, reading, depth + 1);
    case 'unary_expression':
    case 'unary_operator':
      return negativeOf(node, reading, depth);
    case 'binary_expression':
    case 'binary_operator':
      return sumOf(node, reading, depth);
    default:
      throw new NotWritten(node, `"${node.text.slice(0, 40)}" is computed`);
  }
}

function numberOf(node: SyntaxNode): number {
  const value = Number(node.text.replaceAll('_', ''));
  if (Number.isFinite(value)) return value;
  throw new NotWritten(node, `"${node.text.slice(0, 40)}" is no plain number`);
}

function negativeOf(node: SyntaxNode, reading: Reading, depth: number): number {
  const [operand] = childrenOf(node);
  const value = operand === undefined ? null : valueOf(operand, reading, depth + 1);
  if (typeof value === 'number' && node.text.startsWith('-')) return -value;
  throw new NotWritten(node, `"${node.text.slice(0, 40)}" is computed`);
}

/** Joins texts that were split with `+` because they are too long for one line. */
function sumOf(node: SyntaxNode, reading: Reading, depth: number): string {
  const sides = ['left', 'right'].map((side) => node.childForFieldName(side));
  const values = sides.map((side) => (side ? valueOf(side, reading, depth + 1) : null));
  const isSum = node.childForFieldName('operator')?.type === '+';
  if (isSum && values.every((value) => typeof value === 'string')) return values.join('');
  throw new NotWritten(node, `"${node.text.slice(0, 40)}" is computed`);
}

/** The text of a string literal in either language. Throws for template values and byte strings. */
function textOf(node: SyntaxNode): string {
  if (node.type === 'concatenated_string') return childrenOf(node).map(textOf).join('');
  const mark = /^([A-Za-z]*)("""|'''|["'`])/.exec(node.text);
  const [, prefix = '', quote = ''] = mark ?? [];
  const isWritten = mark !== null && /^[ru]?$/i.test(prefix) && !hasValues(node);
  if (!isWritten) throw new NotWritten(node, `"${node.text.slice(0, 40)}" is computed`);
  const inner = node.text.slice(prefix.length + quote.length, -quote.length).replaceAll('\r\n', '\n');
  return prefix.toLowerCase() === 'r' ? inner : unescaped(inner);
}

function hasValues(node: SyntaxNode): boolean {
  return node.descendantsOfType(['template_substitution', 'interpolation']).length > 0;
}

const escapes: Readonly<Record<string, string>> = { n: '\n', t: '\t', r: '\r', b: '\b', f: '\f', v: '\v', 0: '\0' };

function unescaped(text: string): string {
  return text.replaceAll(
    /\\(?:x([0-9a-fA-F]{2})|u([0-9a-fA-F]{4})|u\{([0-9a-fA-F]{1,6})\}|U([0-9a-fA-F]{8})|(\n)|([\s\S]))/g,
    (whole, ...parts: readonly (string | undefined)[]) => {
      const [two, four, braced, eight, line, plain] = parts;
      const code = two ?? four ?? braced ?? eight;
      if (code !== undefined) return codeText(Number.parseInt(code, 16), whole);
      if (line !== undefined) return '';
      return plain === undefined ? whole : (escapes[plain] ?? plain);
    },
  );
}

function codeText(code: number, whole: string): string {
  return code <= 0x10_ff_ff ? String.fromCodePoint(code) : whole;
}
