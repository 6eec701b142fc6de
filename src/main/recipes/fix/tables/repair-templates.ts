import { childrenOf } from '../../code/code-spans.ts';
import { walk, type SyntaxNode } from '../../code/code-syntax.ts';
import { makeMutation, type Mutation } from '../mechanical/mutation.ts';

/**
 * Repairs that are more than one operator: the shapes that fixes of small bugs take again and again.
 * Ingredients (names, statements) come from the same file, where those of a fix mostly are.
 */
export interface MutationContext {
  readonly text: string;
  readonly language: 'python' | 'javascript' | 'typescript';
  /** Every node of the file, in order of the text: where ingredients come from. */
  readonly all: readonly SyntaxNode[];
  /** Those that lie in the lines to be changed. */
  readonly nodes: readonly SyntaxNode[];
}

export function templateMutations(failureContext: MutationContext): readonly Mutation[] {
  const { nodes } = failureContext;
  return [
    ...nodes.flatMap((node) => nodeTemplates(node, failureContext)),
    ...otherNames(nodes),
    ...statementTemplates(nodes, failureContext),
  ];
}

const lineOf = (node: SyntaxNode): number => node.startPosition.row + 1;

function nodeTemplates(node: SyntaxNode, failureContext: MutationContext): Mutation[] {
  switch (node.type) {
    case 'for_statement':
    case 'for_in_statement':
    case 'for_in_clause':
      return iterationTemplates(node, failureContext);
    case 'call':
    case 'call_expression':
      return callTemplates(node, failureContext);
    case 'conditional_expression':
    case 'ternary_expression':
      return branchTemplates(node);
    case 'arrow_function':
      return comparatorTemplates(node);
    case 'return_statement':
      return returnTemplates(node, failureContext);
    case 'string':
      return patternTemplates(node, failureContext);
    case 'regex':
      return regexTemplates(node);
    case 'integer':
    case 'number':
      return /^[1-9]\d*$/.test(node.text) &&
        node.parent?.type !== 'unary_operator' &&
        node.parent?.type !== 'unary_expression'
        ? [makeMutation(node, `-${node.text}`, 7)]
        : [];
    case 'assignment':
    case 'assignment_expression':
    case 'variable_declarator':
      return assignmentTemplates(node, failureContext);
    default:
      return [];
  }
}

/** What is iterated may be changed meanwhile, or come in the wrong order. */
function iterationTemplates(node: SyntaxNode, failureContext: MutationContext): Mutation[] {
  const right = node.childForFieldName('right');
  if (right === null || !/^(identifier|attribute|member_expression|call|call_expression|subscript)/.test(right.type))
    return [];
  const python = failureContext.language === 'python';
  if (!python && !/ of /.test(node.text.split('\n')[0] ?? '')) return [];
  const wraps = python ? ['list(X)', 'sorted(X)', 'reversed(X)'] : ['[...X]', '[...X].reverse()'];
  return wraps.map((wrap, index) => makeMutation(right, wrap.replace('X', right.text), 4 + index * 2));
}

function callTemplates(node: SyntaxNode, failureContext: MutationContext): Mutation[] {
  const target = node.childForFieldName('function');
  const list = node.childForFieldName('arguments');
  if (target === null || list === null || list.type === 'template_string') return [];
  const given = childrenOf(list).filter((child) => child.type !== 'comment');
  const python = failureContext.language === 'python';
  const mutations: Mutation[] = [];
  const name = target.text.split('.').pop() ?? '';
  if (python && /^r?split$/.test(name) && given.length === 1)
    mutations.push(makeMutation(list, `(${given[0]?.text ?? ''}, 1)`, 3));
  if (python && /^(tuple|list|sum|max|min|sorted|set)$/.test(name) && given.length === 1 && given[0] !== undefined) {
    const inner = given[0];
    mutations.push(
      makeMutation(inner, `map(int, ${inner.text})`, 5),
      makeMutation(inner, `map(float, ${inner.text})`, 8),
      makeMutation(inner, `reversed(${inner.text})`, 8),
    );
  }
  if (
    !python &&
    /^(map|filter|forEach)$/.test(name) &&
    given.length === 1 &&
    /^(Number|parseInt|String)$/.test(given[0]?.text ?? '') === false
  ) {
    mutations.push(makeMutation(target, target.text.replace(/\.(map|filter|forEach)$/, '.slice().$1'), 9));
  }
  // One argument fewer, or the value without the call.
  if (given.length > 1)
    mutations.push(
      makeMutation(
        list,
        `(${given
          .slice(0, -1)
          .map((one) => one.text)
          .join(', ')})`,
        6,
      ),
    );
  const object = target.childForFieldName('object');
  if (object !== null && given.length === 0) mutations.push(makeMutation(node, object.text, 7));
  if (/^(sorted|sort|toSorted)$/.test(name) && python && !/reverse/.test(list.text))
    mutations.push(
      makeMutation(list, list.text.replace(/\)$/, given.length > 0 ? ', reverse=True)' : 'reverse=True)'), 6),
    );
  mutations.push(...given.flatMap((argument) => castTemplates(argument, failureContext)));
  return mutations;
}

/** A value in the wrong form: text for a number, upper case, space around. */
function castTemplates(node: SyntaxNode, failureContext: MutationContext): Mutation[] {
  if (
    !/^(identifier|attribute|member_expression|subscript|subscript_expression|call|call_expression)$/.test(node.type) ||
    node.text.length > 60
  )
    return [];
  const casts =
    failureContext.language === 'python'
      ? ['int(X)', 'str(X)', 'X.strip()', 'X.lower()', 'list(X)', 'len(X)', 'float(X)', 'X.copy()']
      : ['Number(X)', 'String(X)', 'X.trim()', 'X.toLowerCase()', '[...X]', 'X.length', '{ ...X }'];
  return casts.map((cast, index) => makeMutation(node, cast.replace('X', node.text), 8 + index * 0.2));
}

/** `a if c else b` and `c ? a : b` the other way round. */
function branchTemplates(node: SyntaxNode): Mutation[] {
  const [first, second, third] = childrenOf(node);
  if (first === undefined || second === undefined || third === undefined) return [];
  if (node.type === 'ternary_expression')
    return [makeMutation(node, `${first.text} ? ${third.text} : ${second.text}`, 4)];
  return [makeMutation(node, `${third.text} if ${second.text} else ${first.text}`, 4)];
}

/** A comparator that answers true or false sorts wrongly. */
function comparatorTemplates(node: SyntaxNode): Mutation[] {
  const names = childrenOf(node.childForFieldName('parameters') ?? node).map((one) => one.text);
  const body = node.childForFieldName('body');
  const [left, right] = names;
  if (
    left === undefined ||
    right === undefined ||
    names.length !== 2 ||
    body === null ||
    body.type === 'statement_block'
  )
    return [];
  const compared = [...walk(body)].find(
    (one) => one.type === 'binary_expression' && /^[<>]=?$/.test(one.childForFieldName('operator')?.text ?? ''),
  );
  if (compared === undefined)
    return /-/.test(body.text) ? [makeMutation(body, swapNames(body.text, left, right), 3)] : [];
  const a = compared.childForFieldName('left')?.text ?? '';
  const b = compared.childForFieldName('right')?.text ?? '';
  const ordered = compared.childForFieldName('operator')?.text.startsWith('<') === true ? [b, a] : [a, b];
  return [
    makeMutation(compared, `(${ordered[0]} > ${ordered[1]} ? 1 : ${ordered[0]} < ${ordered[1]} ? -1 : 0)`, 2),
    makeMutation(compared, `${ordered[0]} - ${ordered[1]}`, 5),
  ];
}

function swapNames(text: string, left: string, right: string): string {
  return text.replaceAll(new RegExp(`\\b(${left}|${right})\\b`, 'g'), (name) => (name === left ? right : left));
}

function returnTemplates(node: SyntaxNode, failureContext: MutationContext): Mutation[] {
  const value = node.namedChild(0);
  if (value === null || value.text.length > 80) return [];
  const wraps =
    failureContext.language === 'python'
      ? ['list(X)', 'sorted(X)', 'round(X, 2)', 'int(X)', 'str(X)', 'X.strip()', 'X.copy()', 'not X', 'bool(X)']
      : ['Math.round(X)', '[...X]', 'X.trim()', '{ ...X }', '!X', 'Boolean(X)'];
  const simple = /^(identifier|call|call_expression|attribute|member_expression|subscript|subscript_expression)$/.test(
    value.type,
  );
  return simple ? wraps.map((wrap, index) => makeMutation(value, wrap.replace('X', value.text), 8 + index * 0.2)) : [];
}

/** Regular expressions written as text: a group or a class that may be absent or repeat. */
function patternTemplates(node: SyntaxNode, failureContext: MutationContext): Mutation[] {
  if (
    failureContext.language !== 'python' ||
    !/^[rb]*['"]/i.test(node.text) ||
    !/\\[sdwb]|\)[?*+]|\[\^|\(\?/.test(node.text)
  )
    return [];
  return quantifiers(node.text).map((text, index) => makeMutation(node, text, 4 + index * 0.1));
}

function regexTemplates(node: SyntaxNode): Mutation[] {
  const flags = /\/(\w*)$/.exec(node.text)?.[1] ?? '';
  const body = node.text.slice(0, node.text.length - flags.length);
  const flagged = ['g', 'i'].filter((flag) => !flags.includes(flag)).map((flag) => `${body}${flags}${flag}`);
  return [...flagged, ...quantifiers(node.text)].map((text, index) => makeMutation(node, text, 3 + index * 0.1));
}

function quantifiers(text: string): string[] {
  const found: string[] = [];
  for (const match of text.matchAll(/(\\[sdwSDW]|\]|\)|\.)([*+?]?)/g)) {
    const at = match.index + (match[1] ?? '').length;
    const rest = text.slice(at + (match[2] ?? '').length);
    for (const quantifier of ['', '?', '*', '+'])
      if (quantifier !== match[2]) found.push(text.slice(0, at) + quantifier + rest);
  }
  return found.slice(0, 40);
}

/** A value that another name shares is changed for both. */
function assignmentTemplates(node: SyntaxNode, failureContext: MutationContext): Mutation[] {
  const value = node.childForFieldName('right') ?? node.childForFieldName('value');
  if (value === null || !/^(identifier|attribute|member_expression|subscript|subscript_expression)$/.test(value.type))
    return [];
  const wraps =
    failureContext.language === 'python'
      ? ['list(X)', 'dict(X)', 'X.copy()']
      : ['[...X]', '{ ...X }', 'structuredClone(X)'];
  return wraps.map((wrap, index) => makeMutation(value, wrap.replace('X', value.text), 5 + index * 0.2));
}

/** A name used for another one of the same function: what is read is replaced by what else is read or bound there. */
function otherNames(nodes: readonly SyntaxNode[]): Mutation[] {
  const uses = nodes.filter((node) => node.type === 'identifier' && isRead(node));
  const bound = new Set(nodes.filter((node) => node.type === 'identifier' && isBound(node)).map((node) => node.text));
  const members = new Map<string, Set<string>>();
  const mutations: Mutation[] = [];
  for (const node of nodes) {
    if (!/^(attribute|member_expression)$/.test(node.type)) continue;
    const object = node.childForFieldName('object')?.text ?? '';
    const name = node.childForFieldName('attribute') ?? node.childForFieldName('property');
    if (name === null || !/^(self|this)$/.test(object)) continue;
    members.set(object, (members.get(object) ?? new Set()).add(name.text));
  }
  for (const use of uses) {
    if (!bound.has(use.text)) continue;
    for (const other of bound) if (other !== use.text) mutations.push(makeMutation(use, other, 7));
  }
  for (const node of nodes) {
    if (!/^(attribute|member_expression)$/.test(node.type)) continue;
    const object = node.childForFieldName('object')?.text ?? '';
    const name = node.childForFieldName('attribute') ?? node.childForFieldName('property');
    for (const other of members.get(object) ?? [])
      if (name !== null && other !== name.text) mutations.push(makeMutation(name, other, 8));
  }
  return mutations.slice(0, 150);
}

function isRead(node: SyntaxNode): boolean {
  const parent = node.parent;
  if (parent === null || isBound(node)) return false;
  const calls = /^(call|call_expression)$/.test(parent.type) && parent.childForFieldName('function')?.id === node.id;
  return !calls && !/^(keyword_argument|function_definition|function_declaration)$/.test(parent.type);
}

function isBound(node: SyntaxNode): boolean {
  const parent = node.parent;
  if (parent === null) return false;
  if (
    /^(parameters|formal_parameters|default_parameter|typed_parameter|lambda_parameters|pattern_list|array_pattern)$/.test(
      parent.type,
    )
  )
    return true;
  if (/^(assignment|for_statement|for_in_clause|for_in_statement)$/.test(parent.type))
    return parent.childForFieldName('left')?.id === node.id;
  if (parent.type === 'arrow_function') return parent.childForFieldName('parameter')?.id === node.id;
  return parent.type === 'variable_declarator' && parent.childForFieldName('name')?.id === node.id;
}

const simpleStatement =
  /^(expression_statement|return_statement|raise_statement|throw_statement|break_statement|continue_statement|lexical_declaration|assert_statement|delete_statement)$/;

/** Neighbours exchanged, and statements of the same file repeated in another place. */
function statementTemplates(nodes: readonly SyntaxNode[], failureContext: MutationContext): Mutation[] {
  const mutations: Mutation[] = [];
  const statements = nodes.filter((node) => simpleStatement.test(node.type) && node.namedChild(0)?.type !== 'string');
  for (const statement of statements) {
    const next = statement.nextNamedSibling;
    if (next === null || !simpleStatement.test(next.type)) continue;
    const between = failureContext.text.slice(statement.endIndex, next.startIndex);
    mutations.push({
      start: statement.startIndex,
      end: next.endIndex,
      text: next.text + between + statement.text,
      line: lineOf(statement),
      rank: 6,
      what: `lines ${lineOf(statement)} and ${lineOf(next)} exchanged`,
    });
  }
  for (const donor of donorsOf(failureContext)) {
    for (const place of statements.slice(0, 12)) {
      if (place.text === donor || place.previousNamedSibling?.text === donor) continue;
      const indent = ' '.repeat(place.startPosition.column);
      mutations.push({
        start: place.startIndex,
        end: place.startIndex,
        text: `${donor}\n${indent}`,
        line: lineOf(place),
        rank: 9,
        what: `${donor.slice(0, 40)} added before line ${lineOf(place)}`,
      });
    }
  }
  return mutations;
}

/** One-line calls, guards and assignments of the file that use only names and members; the shortest first. */
function donorsOf(failureContext: MutationContext): readonly string[] {
  const donors = new Set<string>();
  for (const node of failureContext.all) {
    const isGuard =
      node.type === 'if_statement' &&
      node.text.length < 90 &&
      !node.text.includes('else') &&
      /(return|continue|break|raise|throw)\b/.test(node.text);
    const isCall =
      node.type === 'expression_statement' &&
      node.text.length < 60 &&
      !node.text.includes('\n') &&
      node.namedChild(0)?.type !== 'string';
    if ((isGuard && !node.text.includes('\n')) || isCall) donors.add(node.text);
  }
  return [...donors].sort((left, right) => left.length - right.length).slice(0, 8);
}
