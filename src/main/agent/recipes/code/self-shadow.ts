import { walk, type CodeLanguage, type Syntax, type SyntaxNode } from './syntax.ts';

/**
 * Names that a function reads before it has given them a value, because it gives them one itself: `total = total(items)`
 * in Python, `const total = total(items)` in JavaScript. Both stop at run time, and small models like to write them.
 */
export function selfShadows(syntax: Syntax, language: CodeLanguage, text: string): readonly string[] {
  return syntax.withTree(language, text, (root) =>
    [...walk(root)].flatMap((node) => (language === 'python' ? inPython(node) : inScript(node))),
  );
}

function inScript(node: SyntaxNode): string[] {
  if (node.type !== 'variable_declarator' || node.parent?.type !== 'lexical_declaration') return [];
  const name = node.childForFieldName('name');
  const value = node.childForFieldName('value');
  return name?.type === 'identifier' && value !== null && reads(value, name.text) ? [name.text] : [];
}

function inPython(node: SyntaxNode): string[] {
  if (node.type !== 'assignment') return [];
  const left = node.childForFieldName('left');
  const right = node.childForFieldName('right');
  const owner = functionAround(node);
  if (left?.type !== 'identifier' || right === null || owner === null || !reads(right, left.text)) return [];
  return isKnownBefore(owner, left, node) ? [] : [left.text];
}

/** Whether a name has a value in a function by the time of a statement, or is declared to be of the outside. */
function isKnownBefore(owner: SyntaxNode, name: SyntaxNode, statement: SyntaxNode): boolean {
  const parameters = owner.childForFieldName('parameters');
  if (parameters !== null && [...walk(parameters)].some((one) => isNamed(one, name.text))) return true;
  for (const node of walk(owner)) {
    if (node.type === 'global_statement' || node.type === 'nonlocal_statement') {
      if ([...walk(node)].some((one) => isNamed(one, name.text))) return true;
    }
    if (node.startIndex >= statement.startIndex || !isNamed(node, name.text)) continue;
    if (givesValue(node)) return true;
  }
  return false;
}

const isNamed = (node: SyntaxNode, name: string): boolean => node.type === 'identifier' && node.text === name;

/** A name on the left of something, in a loop's head, an import or an `as`. A loop may come round again. */
function givesValue(node: SyntaxNode): boolean {
  let at = node;
  for (let { parent } = at; parent !== null; { parent } = at) {
    if (/^(?:block|module|call|argument_list)$/.test(parent.type)) return false;
    if (/^(?:import|aliased_import|as_pattern)/.test(parent.type)) return true;
    if (parent.childForFieldName('left')?.id === at.id) return true;
    at = parent;
  }
  return false;
}

/** Whether a name is read in an expression at once, not later in a function of its own. */
function reads(node: SyntaxNode, name: string): boolean {
  if (
    /^(?:lambda|function|arrow_function|generator_function|class|.*comprehension|generator_expression)/.test(node.type)
  ) {
    return false;
  }
  if (isNamed(node, name)) {
    const { parent } = node;
    const isOther =
      (parent?.type === 'attribute' && parent.childForFieldName('attribute')?.id === node.id) ||
      (parent?.type === 'keyword_argument' && parent.childForFieldName('name')?.id === node.id);
    return !isOther;
  }
  for (let index = 0; index < node.namedChildCount; index += 1) {
    const child = node.namedChild(index);
    if (child !== null && reads(child, name)) return true;
  }
  return false;
}

function functionAround(node: SyntaxNode): SyntaxNode | null {
  for (let at = node.parent; at !== null; at = at.parent) if (at.type === 'function_definition') return at;
  return null;
}
