import { childrenOf } from '../../code/code-spans.ts';
import type { SyntaxNode } from '../../code/code-syntax.ts';
import { makeMutation, type Mutation, type Place } from '../mechanical/mutation.ts';
import type { MutationContext } from './repair-templates.ts';

/** Slips with values: not escaped, not a number, above its limit, shared by all instances, a pattern that takes too much. */
export function valueMutations(failureContext: MutationContext): readonly Mutation[] {
  const { nodes } = failureContext;
  const members = failureContext.all.filter((node) => /^(this|self)\./.test(node.text) && node.text.length < 40);
  const limits = limitNames([...nodes, ...members]);
  return nodes.flatMap((node) => [...clampIdioms(node, failureContext, limits), ...valueIdioms(node, failureContext)]);
}

const limitName = /(^|[._#])(max|limit|cap|capacity|most|upper|ceiling|size|length)|(max|limit|cap|capacity)$/i;
const floorName = /(^|[._#])(min|least|lower|floor)|(min|minimum)$/i;

/** Names that say how much at most (or at least): what a sum may have to be held to. */
function limitNames(nodes: readonly SyntaxNode[]): readonly string[] {
  const names = nodes
    .filter((node) => /^(identifier|attribute|member_expression)$/.test(node.type) && /^[\w.#]+$/.test(node.text))
    .map((node) => node.text)
    .filter((name) => (limitName.test(name) || floorName.test(name)) && !/^Math\.|\.(min|max)$|^(max|min)$/.test(name));
  return [...new Set(names)].slice(0, 4);
}

function clampIdioms(node: SyntaxNode, failureContext: MutationContext, limits: readonly string[]): Mutation[] {
  const isValue = /^(assignment|assignment_expression|variable_declarator|return_statement)$/.test(node.type);
  const value = !isValue
    ? null
    : (node.childForFieldName('right') ?? node.childForFieldName('value') ?? node.namedChild(0));
  if (
    value === null ||
    !/^(binary|call|identifier|member|attribute|subscript)/.test(value.type) ||
    value.text.length > 80
  )
    return [];
  const python = failureContext.language === 'python';
  const least = python ? 'max' : 'Math.max';
  const most = python ? 'min' : 'Math.min';
  const held = limits
    .filter((name) => !value.text.includes(name))
    .map((name) => makeMutation(value, `${floorName.test(name) ? least : most}(${name}, ${value.text})`, 5));
  const isSum = value.type.startsWith('binary');
  return isSum
    ? [
        ...held,
        makeMutation(value, `${least}(0, ${value.text})`, 6),
        makeMutation(value, `${least}(1, ${value.text})`, 7),
      ]
    : held;
}

function valueIdioms(node: SyntaxNode, failureContext: MutationContext): Mutation[] {
  switch (node.type) {
    case 'template_substitution': {
      const inner = node.namedChild(0);
      return inner === null ? [] : [makeMutation(inner, `encodeURIComponent(${inner.text})`, 6)];
    }
    case 'call_expression':
      return numberIdioms(node);
    case 'assignment_expression':
      return decodeIdioms(node);
    case 'string_fragment':
    case 'string_content':
      return textIdioms(node, failureContext);
    case 'string':
    case 'template_string':
      return quoteIdioms(node);
    case 'regex_pattern':
      return patternIdioms(node);
    case 'class_definition':
      return sharedAttributes(node, failureContext);
    default:
      return [];
  }
}

/** What is no number must not spread as NaN. */
function numberIdioms(node: SyntaxNode): Mutation[] {
  const name = node.childForFieldName('function')?.text ?? '';
  if (!/^(Number|parseInt|parseFloat|Number\.parseInt|Number\.parseFloat)$/.test(name)) return [];
  return [makeMutation(node, `(${node.text} || 0)`, 4)];
}

function decodeIdioms(node: SyntaxNode): Mutation[] {
  const value = node.childForFieldName('right');
  if (value === null || !/^(identifier|subscript_expression|member_expression|call_expression)$/.test(value.type))
    return [];
  return ['decodeURIComponent', 'encodeURIComponent', 'Number', 'String'].map((name, index) =>
    makeMutation(value, `${name}(${value.text})`, 7 + index * 0.3),
  );
}

/** The other quotes inside of a text, as in `<a href='…'>`. */
function quoteIdioms(node: SyntaxNode): Mutation[] {
  const [, head = '', outer = '', inside = ''] = /^(\w*)(['"`])([^]*)\2$/.exec(node.text) ?? [];
  const inner = outer === '`' ? (inside.includes("'") ? "'" : '"') : outer === "'" ? '"' : "'";
  if (!inside.includes(inner) || /[`\\]/.test(inside)) return [];
  const other = inner === "'" ? '"' : "'";
  if (inside.includes(other)) return [];
  const around = outer === '`' ? '`' : inner;
  return [makeMutation(node, `${head}${around}${inside.replaceAll(inner, other)}${around}`, 7)];
}

/** A separator written twice or once; a pattern kept as text. */
function textIdioms(node: SyntaxNode, failureContext: MutationContext): Mutation[] {
  const { text } = node;
  if (/^[-_.:,;#*+=~ ]$/.test(text)) return [makeMutation(node, text + text, 6), makeMutation(node, `${text} `, 7)];
  if (/^([-_.:,;#*+=~ ])\1$/.test(text)) return [makeMutation(node, text.slice(1), 6)];
  return /\(\.[+*]\)|\\\\?[dws][+*]|\[\^/.test(text) && failureContext.language !== 'python' ? patternIdioms(node) : [];
}

/** `.+` takes everything: the parts that it mostly should have been. */
function patternIdioms(node: SyntaxNode): Mutation[] {
  const forms = ['[^/]+', '[^/]*', '.+?', '.*?', '.*', '.+', '\\w+', '\\d+', '[^,]+', '[^\\s]+', '[^"]*'];
  const mutations: Mutation[] = [];
  for (const match of node.text.matchAll(/\.[+*]\??|\\w[+*]|\\d[+*]?/g)) {
    for (const form of forms) {
      if (form === match[0]) continue;
      const text = node.text.slice(0, match.index) + form + node.text.slice(match.index + match[0].length);
      mutations.push(makeMutation(node, text, 6));
    }
  }
  const anchored = [
    `^${node.text}`,
    `${node.text}$`,
    `^${node.text}$`,
    node.text.replace(/^\^/, ''),
    node.text.replace(/\$$/, ''),
  ];
  return [
    ...mutations.slice(0, 24),
    ...anchored.filter((text) => !/^\^\^|\$\$$/.test(text)).map((text) => makeMutation(node, text, 6)),
  ];
}

/** `items = []` in a class body is one list for all; each instance gets its own in `__init__`. */
function sharedAttributes(node: SyntaxNode, failureContext: MutationContext): Mutation[] {
  const body = node.childForFieldName('body');
  if (body === null) return [];
  const members = childrenOf(body);
  const shared = members.filter((one) =>
    /^\w+(: [^=]+)? = (\[.*\]|\{.*\}|list\(\)|dict\(\)|set\(\)|\w+\(\))$/s.test(one.text),
  );
  const indent = ' '.repeat(members[0]?.startPosition.column ?? 4);
  return shared.flatMap((attribute) => {
    const inner = attribute.namedChild(0);
    const name = inner?.childForFieldName('left')?.text ?? '';
    const value = inner?.childForFieldName('right')?.text ?? '[]';
    const init = members.find((one) => one.childForFieldName('name')?.text === '__init__');
    const initBody = init?.childForFieldName('body') ?? null;
    if (name === '') return [];
    if (initBody === null) {
      const written = `def __init__(self):\n${indent}    self.${name} = ${value}`;
      return [makeMutation(attribute, written, 4)];
    }
    const from = Math.min(attribute.startIndex, initBody.startIndex);
    const whole: Place = {
      startIndex: from,
      endIndex: initBody.endIndex,
      startPosition: attribute.startPosition,
      text: attribute.text,
    };
    const between = failureContext.text
      .slice(attribute.endIndex, initBody.startIndex)
      .replace(/^\s*\n/, '')
      .trimStart();
    const line = `self.${name} = ${value}\n${' '.repeat(initBody.startPosition.column)}`;
    return from === attribute.startIndex ? [makeMutation(whole, `${between}${line}${initBody.text}`, 3)] : [];
  });
}
