import { walk, type CodeLanguage, type Syntax, type SyntaxNode } from './code-syntax.ts';

/**
 * Names that a function reads before it assigns them: `total = total(items)` in Python, `const total = total(items)` in
 * JavaScript. Both fail at run time, and small models like to write them.
 */
export function selfShadows(syntax: Syntax, language: CodeLanguage, text: string): readonly string[] {
  return syntax.withTree(language, text, (root) =>
    [...walk(root)].flatMap((node) => (language === 'python' ? inPython(node) : inScript(node))),
  );
}

/**
 * Renames the variable: `total = total(items)` becomes `total_value = total(items)`, in the whole function, without a
 * model. A name that is never called is left alone.
 */
export function withoutSelfShadows(syntax: Syntax, language: CodeLanguage, text: string): string {
  return syntax.withTree(language, text, (root) => {
    const places = [...walk(root)].flatMap((node) => {
      const [name] = language === 'python' ? inPython(node) : inScript(node);
      const scope = language === 'python' ? functionAround(node) : blockAround(node);
      return name === undefined || scope === null ? [] : placesOf(scope, name, language);
    });
    const ends = [...new Map(places.map((place) => [place.end, place])).values()];
    return ends
      .sort((left, right) => right.end - left.end)
      .reduce((now, { end, suffix }) => `${now.slice(0, end)}${suffix}${now.slice(end)}`, text);
  });
}

/** Where a name means the variable rather than the function that is called; none if it is never called. */
function placesOf(scope: SyntaxNode, name: string, language: CodeLanguage): { end: number; suffix: string }[] {
  const named = [...walk(scope)].filter((one) => isNamed(one, name) && !isOtherName(one));
  const values = named.filter((one) => one.parent?.childForFieldName('function')?.id !== one.id);
  const suffix = language === 'python' ? '_value' : 'Value';
  return values.length === named.length ? [] : values.map((one) => ({ end: one.endIndex, suffix }));
}

function blockAround(node: SyntaxNode): SyntaxNode | null {
  for (let at = node.parent; at !== null; at = at.parent) if (at.type === 'statement_block') return at;
  return null;
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

/** Whether a name has a value before a statement, or is declared as coming from outside the function. */
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

/** Whether a node assigns a name: on the left side, in a loop's head, an import or an `as`. A loop may run again. */
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

/** Whether an expression reads a name at once, not later inside a function of its own. */
function reads(node: SyntaxNode, name: string): boolean {
  if (
    /^(?:lambda|function|arrow_function|generator_function|class|.*comprehension|generator_expression)/.test(node.type)
  ) {
    return false;
  }
  if (isNamed(node, name)) {
    return !isOtherName(node);
  }
  for (let index = 0; index < node.namedChildCount; index += 1) {
    const child = node.namedChild(index);
    if (child !== null && reads(child, name)) return true;
  }
  return false;
}

/** Whether a node is the name of an attribute or keyword, which is not a variable. */
function isOtherName(node: SyntaxNode): boolean {
  const { parent } = node;
  return (
    (parent?.type === 'attribute' && parent.childForFieldName('attribute')?.id === node.id) ||
    (parent?.type === 'keyword_argument' && parent.childForFieldName('name')?.id === node.id)
  );
}

function functionAround(node: SyntaxNode): SyntaxNode | null {
  for (let at = node.parent; at !== null; at = at.parent) if (at.type === 'function_definition') return at;
  return null;
}
