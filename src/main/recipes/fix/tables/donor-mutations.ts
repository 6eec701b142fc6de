import { childrenOf } from '../../code/code-spans.ts';
import type { SyntaxNode } from '../../code/code-syntax.ts';
import { makeMutation, type Mutation } from '../mechanical/mutation.ts';
import type { MutationContext } from './repair-templates.ts';

/**
 * Repairs made of what the file already has: most fixes of small bugs need a key, a name, a helper or a condition that
 * stands elsewhere in the same file (the redundancy that search-based repair lives on).
 */
export function donorMutations(failureContext: MutationContext): readonly Mutation[] {
  const { all, nodes } = failureContext;
  return [
    ...otherKeys(nodes, all),
    ...otherAttributes(nodes, all),
    ...otherNumbers(nodes, all),
    ...helperCalls(nodes, all),
    ...joinedConditions(nodes, failureContext),
  ];
}

/** The text between the quotes of a plain string. */
function textIn(node: SyntaxNode): SyntaxNode | null {
  return childrenOf(node).find((child) => /^string_(fragment|content)$/.test(child.type)) ?? null;
}

/** A string that names something: a key, what is compared with, an argument. */
function isKey(node: SyntaxNode): boolean {
  const parent = node.parent?.type ?? '';
  return (
    node.type === 'string' &&
    node.text.length < 32 &&
    /^(subscript|subscript_expression|argument_list|arguments|comparison_operator|binary_expression|pair|list|array|tuple)$/.test(
      parent,
    )
  );
}

function otherKeys(nodes: readonly SyntaxNode[], all: readonly SyntaxNode[]): Mutation[] {
  const keys = new Set(all.filter(isKey).map((node) => textIn(node)?.text ?? ''));
  const words = [...keys].filter((key) => /^[\w-]+$/.test(key)).slice(0, 14);
  return nodes.filter(isKey).flatMap((node) => {
    const inner = textIn(node);
    if (inner === null || !/^[\w-]+$/.test(inner.text)) return [];
    return words.filter((word) => word !== inner.text).map((word) => makeMutation(inner, word, 7));
  });
}

const memberTypes = /^(attribute|member_expression)$/;

function nameOf(member: SyntaxNode): SyntaxNode | null {
  return member.childForFieldName('attribute') ?? member.childForFieldName('property');
}

function isCalled(node: SyntaxNode): boolean {
  return node.parent?.childForFieldName('function')?.id === node.id;
}

/** `item.price` to `item.total`: what the file reads of things of that name, or of anything when that is little. */
function otherAttributes(nodes: readonly SyntaxNode[], all: readonly SyntaxNode[]): Mutation[] {
  const members = all.filter((node) => memberTypes.test(node.type));
  const namesFor = (object: string, called: boolean) => [
    ...new Set(
      members
        .filter((one) => isCalled(one) === called && one.childForFieldName('object')?.text === object)
        .map((one) => nameOf(one)?.text ?? ''),
    ),
  ];
  const plain = [...new Set(members.filter((one) => !isCalled(one)).map((one) => nameOf(one)?.text ?? ''))];
  return nodes
    .filter((node) => memberTypes.test(node.type))
    .flatMap((node) => {
      const name = nameOf(node);
      const object = node.childForFieldName('object')?.text ?? '';
      if (name === null || /^(self|this|Math|Object|console|JSON|Number|String|Array|Promise)$/.test(object)) return [];
      const called = isCalled(node);
      const near = namesFor(object, called);
      const wide = called ? near : [...near, ...plain.slice(0, 8)];
      return [...new Set(wide)]
        .filter((one) => one !== name.text && one !== '')
        .slice(0, 8)
        .map((one) => makeMutation(name, one, near.includes(one) ? 7 : 9));
    });
}

/** Units mixed up, a constant used for another one. */
function otherNumbers(nodes: readonly SyntaxNode[], all: readonly SyntaxNode[]): Mutation[] {
  const isNumber = (node: SyntaxNode) => /^(integer|number|float)$/.test(node.type);
  const known = [...new Set(all.filter(isNumber).map((node) => node.text))].filter((text) => !/^[01]$/.test(text));
  const constants = [
    ...new Set(
      all
        .filter(
          (node) => /^(identifier|property_identifier)$/.test(node.type) && /^[A-Z][A-Z0-9_]{2,}$/.test(node.text),
        )
        .map((node) => node.text),
    ),
  ];
  const numbers = nodes
    .filter((node) => isNumber(node) && !/^[01]$/.test(node.text))
    .flatMap((node) => {
      const units = ['60', '3600', '24', '1000', '100', '10', '7', '12'].filter(
        (unit) => Number(node.text) >= 7 && unit,
      );
      const others = [...known.slice(0, 6), ...units, ...constants.slice(0, 4)];
      return [...new Set(others)].filter((one) => one !== node.text).map((one) => makeMutation(node, one, 8));
    });
  const names = nodes
    .filter((node) => node.type === 'identifier' && constants.includes(node.text))
    .flatMap((node) =>
      constants
        .filter((one) => one !== node.text)
        .map((one) => makeMutation(node, one, 6))
        .slice(0, 6),
    );
  return [...numbers, ...names];
}

/** Functions of the file that take one thing. */
function helpersOf(all: readonly SyntaxNode[]): readonly string[] {
  const names: string[] = [];
  for (const node of all) {
    const parameters = node.childForFieldName('parameters') ?? node.childForFieldName('parameter');
    if (parameters === null) continue;
    const isArrow = node.type === 'arrow_function';
    const holder = isArrow ? node.parent : node;
    const name = holder?.childForFieldName('name')?.text ?? '';
    const count = parameters.type === 'identifier' ? 1 : childrenOf(parameters).length;
    const isMethod = node.type === 'method_definition' || /^(self|cls)$/.test(childrenOf(parameters)[0]?.text ?? '');
    if (isMethod) {
      const own = childrenOf(parameters).filter((one) => !/^(self|cls)$/.test(one.text)).length;
      if (own === 1 && !/^(__|constructor)/.test(name))
        names.push(node.type === 'method_definition' ? `this.${name}` : `self.${name}`);
    } else if (count === 1 && /^\w+$/.test(name)) names.push(name);
  }
  return [...new Set(names)];
}

/** Names brought by `import` and `require` that start with a small letter: likely functions. */
function importedFunctions(all: readonly SyntaxNode[]): readonly string[] {
  const names = all
    .filter(
      (node) =>
        node.type === 'import_specifier' ||
        node.type === 'shorthand_property_identifier_pattern' ||
        (node.type === 'dotted_name' &&
          node.parent?.type === 'import_from_statement' &&
          node.parent.childForFieldName('module_name')?.id !== node.id),
    )
    .map((node) => (node.childForFieldName('alias') ?? node.childForFieldName('name') ?? node).text);
  return [...new Set(names)].filter((name) => /^[a-z]\w+$/.test(name)).slice(0, 6);
}

const valueTypes = /^(identifier|attribute|member_expression|subscript|subscript_expression|call|call_expression)$/;

/** A helper that was forgotten (`key` to `normalise(key)`), that is one too many, or that was taken for another. */
function helperCalls(nodes: readonly SyntaxNode[], all: readonly SyntaxNode[]): Mutation[] {
  const helpers = [...new Set([...helpersOf(all), ...importedFunctions(all)])].slice(0, 8);
  const mutations: Mutation[] = [];
  for (const node of nodes) {
    const isCall = node.type === 'call' || node.type === 'call_expression';
    const target = isCall ? node.childForFieldName('function') : null;
    const given = isCall ? childrenOf(node.childForFieldName('arguments') ?? node) : [];
    if (target !== null && given.length === 1 && /^[\w.]+$/.test(target.text)) {
      const [only] = given;
      if (only !== undefined && only.type !== 'string') mutations.push(makeMutation(node, only.text, 7));
      for (const helper of helpers)
        if (helper !== target.text && helpers.includes(target.text)) mutations.push(makeMutation(target, helper, 6));
    }
    if (!valueTypes.test(node.type) || node.text.length > 50 || !isUsedValue(node)) continue;
    for (const helper of helpers)
      if (!node.text.startsWith(`${helper}(`) && node.text !== helper)
        mutations.push(makeMutation(node, `${helper}(${node.text})`, 7));
  }
  return mutations;
}

/** A place where a value is used: not a target, not what is called, not an object whose member is meant. */
function isUsedValue(node: SyntaxNode): boolean {
  const parent = node.parent;
  if (parent === null) return false;
  if (
    /^(arguments|argument_list|return_statement|pair|list|array|tuple|template_substitution|interpolation)$/.test(
      parent.type,
    )
  )
    return true;
  const isRight = (name: string) => parent.childForFieldName(name)?.id === node.id;
  if (/^(assignment|assignment_expression|augmented_assignment)$/.test(parent.type)) return isRight('right');
  if (parent.type === 'variable_declarator') return isRight('value');
  if (/^(subscript|subscript_expression)$/.test(parent.type)) return isRight('subscript') || isRight('index');
  return /^(binary_expression|comparison_operator|binary_operator)$/.test(parent.type);
}

const conditionTypes = /^(comparison_operator|binary_expression|not_operator|unary_expression|call|call_expression)$/;

/** `if a` to `if a and b`, where `b` is asked elsewhere in the function, or is one of its flags. */
function joinedConditions(nodes: readonly SyntaxNode[], failureContext: MutationContext): Mutation[] {
  const python = failureContext.language === 'python';
  const [and, or, not] = python ? ['and', 'or', 'not '] : ['&&', '||', '!'];
  const conditions = nodes
    .filter((node) =>
      /^(if_statement|elif_clause|while_statement|conditional_expression|ternary_expression)$/.test(node.type),
    )
    .map(conditionOf)
    .filter((node) => node !== null);
  const donors = [
    ...new Set([
      ...conditions.filter((one) => conditionTypes.test(one.type) || valueTypes.test(one.type)).map((one) => one.text),
      ...parametersOf(nodes),
    ]),
  ].filter((text) => text.length < 48 && !text.includes('\n'));
  const mutations: Mutation[] = [];
  for (const condition of conditions) {
    if (condition.text.length > 80) continue;
    for (const donor of donors.slice(0, 7)) {
      if (condition.text.includes(donor)) continue;
      const negated = /^[\w.]+$/.test(donor) ? `${not}${donor}` : `${not}(${donor})`;
      const left = /\b(or|and)\b|\|\||&&/.test(condition.text) ? `(${condition.text})` : condition.text;
      for (const [index, form] of [
        `${left} ${and} ${donor}`,
        `${left} ${or} ${donor}`,
        `${left} ${and} ${negated}`,
        `${left} ${or} ${negated}`,
      ].entries())
        mutations.push(makeMutation(condition, form, 8 + index * 0.3));
    }
  }
  return mutations;
}

function conditionOf(node: SyntaxNode): SyntaxNode | null {
  if (node.type === 'conditional_expression') return node.namedChildren[1] ?? null;
  const condition = node.childForFieldName('condition');
  return condition?.type === 'parenthesized_expression' ? condition.namedChild(0) : condition;
}

function parametersOf(nodes: readonly SyntaxNode[]): readonly string[] {
  return nodes
    .map((node) => node.childForFieldName('parameters'))
    .filter((node) => node !== null)
    .flatMap((node) => childrenOf(node))
    .map((node) => (node.childForFieldName('name') ?? node.childForFieldName('left') ?? node).text)
    .filter((name) => /^[a-z]\w*$/i.test(name) && !/^(self|cls|this)$/.test(name));
}
