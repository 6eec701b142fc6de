import { childrenOf } from '../../code/code-spans.ts';
import type { SyntaxNode } from '../../code/code-syntax.ts';
import { everyForm, makeMutation, partners, type Mutation, type NamePairs } from '../mechanical/mutation.ts';
import type { MutationContext } from './repair-templates.ts';

/** Slips with what the languages bring along: merges in the wrong order, clocks and zones, errors caught too narrowly, units. */
export function languageMutations(failureContext: MutationContext): readonly Mutation[] {
  const python = failureContext.language === 'python';
  return failureContext.nodes.flatMap((node) => [
    ...mergeOrder(node),
    ...units(node),
    ...(python ? pythonSlips(node, failureContext) : scriptSlips(node)),
  ]);
}

/** `{...a, ...b}`, `{**a, **b}`, `Object.assign({}, a, b)`, `a | b`: the later one wins. */
function mergeOrder(node: SyntaxNode): Mutation[] {
  if (/^(object|dictionary)$/.test(node.type)) {
    const parts = childrenOf(node);
    const isSpread = (one: SyntaxNode) => /^(spread_element|dictionary_splat)$/.test(one.type);
    if (parts.length < 2 || !parts.some(isSpread) || node.text.includes('\n\n')) return [];
    const [first, ...rest] = parts;
    const last = parts[parts.length - 1];
    const form = (order: readonly (SyntaxNode | undefined)[]) =>
      `{ ${order.map((one) => one?.text ?? '').join(', ')} }`;
    return [
      makeMutation(node, form([...rest, first]), 4),
      makeMutation(node, form([last, ...parts.slice(0, -1)]), 5),
      ...parts.filter(isSpread).map((one) => makeMutation(node, form(parts.filter((other) => other.id !== one.id)), 8)),
    ];
  }
  const isCall = node.type === 'call_expression' && node.childForFieldName('function')?.text === 'Object.assign';
  const list = isCall ? node.childForFieldName('arguments') : null;
  if (list === null) return [];
  const [target, ...others] = childrenOf(list).map((one) => one.text);
  if (target === undefined || others.length === 0) return [];
  return [
    makeMutation(list, `({}, ${[target, ...others].join(', ')})`, 4),
    makeMutation(list, `(${[target, ...[...others].reverse()].join(', ')})`, 5),
  ];
}

/** Seconds for milliseconds, percent for parts, cents for euros. */
function units(node: SyntaxNode): Mutation[] {
  const parent = node.parent;
  if (parent === null || !/^(identifier|attribute|member_expression|parenthesized_expression)$/.test(node.type))
    return [];
  const isName =
    /(seconds?|secs?|minutes?|mins?|hours?|days?|ms|millis|time|timeout|delay|ttl|age|percent|rate|ratio|cents?|price|amount|total|bytes?|size|kb|mb|tax|vat|discount|duration|interval|limit)$/i;
  if (!isName.test(node.text.replace(/[()]/g, '')) || node.text.length > 40) return [];
  const isArithmetic = /^(binary_operator|binary_expression|comparison_operator)$/.test(parent.type);
  const isGiven = /^(arguments|argument_list|return_statement)$/.test(parent.type);
  const isRight =
    parent.childForFieldName('right')?.id === node.id || parent.childForFieldName('value')?.id === node.id;
  if (!isArithmetic && !isGiven && !isRight) return [];
  const forms = ['1000', '60', '100', '3600', '24', '1024'].flatMap((unit) => [`(§ * ${unit})`, `(§ / ${unit})`]);
  return everyForm(node, forms, 8.5);
}

const clockPairs: NamePairs = [
  ['getDate', 'getUTCDate'],
  ['getDay', 'getUTCDay'],
  ['getMonth', 'getUTCMonth'],
  ['getFullYear', 'getUTCFullYear'],
  ['getHours', 'getUTCHours'],
  ['getMinutes', 'getUTCMinutes'],
  ['setDate', 'setUTCDate'],
  ['setMonth', 'setUTCMonth'],
  ['setHours', 'setUTCHours'],
  ['getDate', 'getDay'],
  ['splice', 'slice'],
  ['map', 'flatMap'],
  ['find', 'filter'],
  ['forEach', 'map'],
  ['floor', 'trunc'],
  ['all', 'allSettled'],
  ['all', 'race'],
  ['innerText', 'textContent'],
  ['exec', 'test'],
  ['match', 'matchAll'],
  ['substr', 'substring'],
  ['then', 'finally'],
  ['encodeURI', 'encodeURIComponent'],
  ['decodeURI', 'decodeURIComponent'],
  ['keys', 'entries'],
  ['values', 'entries'],
  ['toString', 'toISOString'],
];

function scriptSlips(node: SyntaxNode): Mutation[] {
  switch (node.type) {
    case 'property_identifier':
    case 'identifier':
      return partners(clockPairs, node.text).map((name) => makeMutation(node, name, 5));
    case 'call_expression':
      return scriptCallSlips(node);
    case 'member_expression':
      return node.text.includes('?.') || node.text.startsWith('this.') || node.parent?.type === 'member_expression'
        ? []
        : [makeMutation(node, node.text.replace(/\.(?=[^.]*$)/, '?.'), 8)];
    case 'arrow_function': {
      const body = node.childForFieldName('body');
      if (body === null) return [];
      if (body.type === 'object') return [makeMutation(body, `(${body.text})`, 5)];
      if (body.type !== 'statement_block') return [];
      const [only, second] = childrenOf(body);
      return only?.type === 'expression_statement' && second === undefined
        ? [makeMutation(only, `return ${only.text}`, 4)]
        : [];
    }
    case 'number':
      return node.text === '0' ? [makeMutation(node, 'Infinity', 8), makeMutation(node, '-Infinity', 8)] : [];
    default:
      return [];
  }
}

function scriptCallSlips(node: SyntaxNode): Mutation[] {
  const target = node.childForFieldName('function')?.text ?? '';
  const list = node.childForFieldName('arguments');
  const name = target.split('.').pop() ?? '';
  const [first] = childrenOf(list ?? node);
  const mutations: Mutation[] = [];
  if (name === 'getMonth' || name === 'getUTCMonth') mutations.push(makeMutation(node, `${node.text} + 1`, 3));
  if (list !== null && first !== undefined && /^(map|forEach)$/.test(name) && /^async\b/.test(first.text))
    mutations.push(makeMutation(node, `Promise.all(${target.replace(/\.forEach$/, '.map')}${list.text})`, 3));
  if (
    list !== null &&
    /^(map|filter|flatMap)$/.test(name) &&
    /^(Number|parseInt|parseFloat|String|Boolean)$/.test(first?.text ?? '')
  )
    mutations.push(makeMutation(list, `((item) => ${first?.text ?? ''}(item))`, 4));
  if (/^(localeCompare)$/.test(name) && list !== null)
    mutations.push(makeMutation(list, `(${first?.text ?? ''}, undefined, { numeric: true, sensitivity: 'base' })`, 6));
  if (name === 'stringify' && list !== null && first !== undefined && childrenOf(list).length === 1)
    mutations.push(makeMutation(list, `(${first.text}, null, 2)`, 7));
  if (name === 'toFixed') mutations.push(makeMutation(node, `Number(${node.text})`, 5));
  if (name === 'split' && first?.text !== undefined && /^['"] ['"]$/.test(first.text))
    mutations.push(makeMutation(first, '/\\s+/', 4));
  if (name === 'split' && first !== undefined && /^['"]\\n['"]$/.test(first.text))
    mutations.push(makeMutation(first, '/\\r?\\n/', 3));
  if (/^(isNaN)$/.test(target)) mutations.push(makeMutation(node, `Number.${node.text}`, 5));
  return mutations;
}

const pythonPairs: NamePairs = [
  ['isdigit', 'isalnum'],
  ['isdigit', 'isdecimal'],
  ['isdigit', 'isnumeric'],
  ['isalpha', 'isalnum'],
  ['lower', 'casefold'],
  ['title', 'capitalize'],
  ['remove', 'discard'],
  ['splitlines', 'split'],
  ['seconds', 'total_seconds()'],
  ['copy', 'deepcopy'],
  ['search', 'match'],
  ['search', 'fullmatch'],
  ['findall', 'finditer'],
  ['items', 'values'],
  ['items', 'keys'],
  ['index', 'find'],
  ['get', 'pop'],
  ['read', 'readlines'],
  ['weekday', 'isoweekday'],
  ['today', 'now'],
  ['ROUND_HALF_EVEN', 'ROUND_HALF_UP'],
  ['ROUND_DOWN', 'ROUND_HALF_UP'],
  ['nlargest', 'nsmallest'],
  ['bisect_left', 'bisect_right'],
  ['bisect', 'bisect_left'],
  ['ceil', 'floor'],
  ['stdev', 'pstdev'],
  ['extend', 'update'],
  ['zip', 'zip_longest'],
  ['difference', 'symmetric_difference'],
  ['append', 'add'],
];

function pythonSlips(node: SyntaxNode, failureContext: MutationContext): Mutation[] {
  switch (node.type) {
    case 'identifier':
      return partners(pythonPairs, node.text).map((name) => makeMutation(node, name, 5));
    case 'except_clause':
      return caughtErrors(node);
    case 'call':
      return pythonCallSlips(node, failureContext);
    case 'expression_statement':
      return /^yield \w+$/.test(node.text) ? [makeMutation(node, node.text.replace('yield ', 'yield from '), 4)] : [];
    case 'float':
    case 'integer':
      return node.text === '0' ? [makeMutation(node, "float('inf')", 8), makeMutation(node, "float('-inf')", 8)] : [];
    default:
      return [];
  }
}

/** `except ValueError` catches too little, or too much. */
function caughtErrors(node: SyntaxNode): Mutation[] {
  const [type] = childrenOf(node);
  if (type === undefined || !/^(identifier|attribute|tuple)$/.test(type.type)) return [];
  const names = type.text.replaceAll(/[()]/g, '');
  const more = ['ValueError', 'KeyError', 'TypeError', 'IndexError', 'AttributeError', 'OSError', 'LookupError']
    .filter((name) => !names.split(/, */).includes(name))
    .map((name) => `(${names}, ${name})`);
  return [...more, 'Exception'].map((text, index) => makeMutation(type, text, 6 + index * 0.2));
}

function pythonCallSlips(node: SyntaxNode, failureContext: MutationContext): Mutation[] {
  const target = node.childForFieldName('function')?.text ?? '';
  const list = node.childForFieldName('arguments');
  if (list === null) return [];
  const given = childrenOf(list);
  const [first] = given;
  const mutations: Mutation[] = [];
  const extra = (text: string, rank: number) => {
    const inner = list.text.slice(1, -1).replace(/,\s*$/, '');
    mutations.push(makeMutation(list, `(${inner}${given.length > 0 ? ', ' : ''}${text})`, rank));
  };
  if (target === 'open' && !/encoding/.test(list.text)) extra("encoding='utf-8'", 6);
  if (target === 'open' && !/newline/.test(list.text)) extra("newline=''", 6);
  if (/^json\.dumps?$/.test(target)) {
    if (!/ensure_ascii/.test(list.text)) extra('ensure_ascii=False', 6);
    if (!/sort_keys/.test(list.text)) extra('sort_keys=True', 7);
  }
  if (/^(min|max)$/.test(target) && given.length === 1) extra('default=0', 5);
  if (/^(min|max|sorted)$/.test(target) && !/key/.test(list.text)) extra('key=len', 8);
  if (target === 'print' && first !== undefined) extra('file=sys.stderr', 8);
  if (/(^|\.)makedirs$/.test(target) && !/exist_ok/.test(list.text)) extra('exist_ok=True', 4);
  if (target.endsWith('.mkdir')) extra('parents=True, exist_ok=True', 5);
  if (target.endsWith('.sub')) mutations.push(makeMutation(list, list.text.replace(/, count=\d+/, ''), 6));
  if (/^re\.\w+$/.test(target) && !/re\.[A-Z]/.test(list.text))
    for (const flag of ['re.IGNORECASE', 're.MULTILINE', 're.DOTALL']) extra(`flags=${flag}`, 6);
  if (/^(int|float)$/.test(target) && first !== undefined)
    mutations.push(
      makeMutation(first, `${first.text} or 0`, 6),
      makeMutation(node, `${target === 'int' ? 'float' : 'int'}(${first.text})`, 6),
    );
  if (target.endsWith('.get') && given.length === 1)
    for (const value of ['0', "''", '[]', '{}', 'False']) extra(value, 6);
  if (/^(str|repr)$/.test(target) && first !== undefined) mutations.push(makeMutation(node, first.text, 6));
  if (/\.(strip|rstrip|lstrip)$/.test(target)) {
    if (given.length === 1) mutations.push(makeMutation(list, '()', 6));
    const side = target.endsWith('rstrip') ? 'removesuffix' : target.endsWith('lstrip') ? 'removeprefix' : null;
    if (side !== null && given.length === 1)
      mutations.push(makeMutation(node, `${target.replace(/(?<!\w)\w+$/, side)}${list.text}`, 3));
  }
  if (target === 'datetime.now' && given.length === 0 && /\btimezone\b/.test(failureContext.text))
    mutations.push(makeMutation(list, '(timezone.utc)', 4));
  return mutations;
}
