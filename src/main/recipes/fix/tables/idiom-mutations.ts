import { childrenOf } from '../../code/code-spans.ts';
import type { SyntaxNode } from '../../code/code-syntax.ts';
import { everyForm, isSimple, makeMutation, type Mutation } from '../mechanical/mutation.ts';
import { pythonIdioms } from './python-idioms.ts';
import { scriptIdioms } from './script-idioms.ts';
import type { MutationContext } from './repair-templates.ts';

/** Slips that a language invites: falsy values, dropped results, shared defaults, rounding, the last turn of a loop. */
export function idiomMutations(failureContext: MutationContext): readonly Mutation[] {
  const python = failureContext.language === 'python';
  return failureContext.nodes.flatMap((node) => {
    const common = [...commonIdioms(node, failureContext), ...callIdioms(node, failureContext)];
    return python ? [...common, ...pythonIdioms(node, failureContext)] : [...common, ...scriptIdioms(node)];
  });
}

const families: readonly (readonly string[])[] = [
  ['NFC', 'NFD', 'NFKC', 'NFKD'],
  ['utf-8', 'latin-1', 'ascii', 'utf-8-sig'],
  ['ignore', 'strict', 'replace'],
  ['r', 'w', 'a'],
  ['asc', 'desc'],
  ['left', 'right'],
  ['start', 'end'],
  [',', ';', '\\t', '|'],
  ['/', '\\\\'],
  ['-', '_', ' ', ''],
  ['%d', '%s', '%02d'],
  ['\\n', '\\r\\n', ''],
  ['%m', '%M'],
  ['%H', '%I'],
  ['%Y', '%y'],
];

/** What both languages share. */
function commonIdioms(node: SyntaxNode, failureContext: MutationContext): Mutation[] {
  switch (node.type) {
    case 'string_fragment':
    case 'string_content': {
      const related = families.filter((family) => family.includes(node.text)).flat();
      return related.filter((one) => one !== node.text).map((one, index) => makeMutation(node, one, 5 + index * 0.2));
    }
    case 'binary_operator':
    case 'binary_expression':
      return arithmeticIdioms(node, failureContext);
    case 'comparison_operator':
      return comparisonIdioms(node, failureContext);
    case 'return_statement': {
      const value = node.namedChild(0);
      if (value === null || !(isSimple(value) || value.type.startsWith('binary'))) return [];
      return everyForm(value, ['§ + 1', '§ - 1'], 7);
    }
    case 'none':
    case 'null':
    case 'undefined':
      return everyForm(
        node,
        failureContext.language === 'python'
          ? ['[]', '{}', '0', "''", 'False']
          : ['[]', '{}', '0', "''", 'false', 'null', 'undefined'],
        9,
      );
    default:
      return [];
  }
}

function arithmeticIdioms(node: SyntaxNode, failureContext: MutationContext): Mutation[] {
  const left = node.childForFieldName('left');
  const right = node.childForFieldName('right');
  const operator = node.childForFieldName('operator')?.text ?? '';
  if (left === null || right === null) return [];
  if (operator === '%' && failureContext.language !== 'python') {
    return [makeMutation(node, `((${node.text}) + ${right.text}) % ${right.text}`, 6)];
  }
  if (operator === '//') return [makeMutation(node, `-(-${left.text} // ${right.text})`, 5)];
  if (operator === '/') {
    const rounded =
      failureContext.language === 'python'
        ? ['round(§)', 'int(§)']
        : ['Math.floor(§)', 'Math.round(§)', 'Math.ceil(§)'];
    return everyForm(node, rounded, 7);
  }
  return /^(===?|!==?)$/.test(operator) ? comparisonIdioms(node, failureContext) : [];
}

/** Case and space that should not count; equal where at least was meant. */
function comparisonIdioms(node: SyntaxNode, failureContext: MutationContext): Mutation[] {
  const [left, right] = childrenOf(node);
  if (left === undefined || right === undefined || childrenOf(node).length !== 2) return [];
  const between = failureContext.text.slice(left.endIndex, right.startIndex);
  const operator = between.trim();
  const fold = failureContext.language === 'python' ? '.lower()' : '.toLowerCase()';
  const mutations: Mutation[] = [];
  if (/^(==|===|!=|!==|in|not in)$/.test(operator) && (isSimple(left) || isSimple(right))) {
    const folded = (one: SyntaxNode) => (isSimple(one) ? `${one.text}${fold}` : one.text);
    mutations.push(makeMutation(node, `${folded(left)}${between}${folded(right)}`, 7));
  }
  if (/^===?$/.test(operator)) {
    mutations.push(
      makeMutation(node, `${left.text} >= ${right.text}`, 5),
      makeMutation(node, `${left.text} <= ${right.text}`, 5),
    );
  }
  return mutations;
}

function callIdioms(node: SyntaxNode, failureContext: MutationContext): Mutation[] {
  if (node.type !== 'call' && node.type !== 'call_expression') return [];
  const target = node.childForFieldName('function');
  const list = node.childForFieldName('arguments');
  if (target === null || list === null) return [];
  const given = childrenOf(list);
  return [
    ...chainIdioms(target, list),
    ...missingArguments(target, list, failureContext),
    ...factorIdioms(given),
    ...roundingIdioms(node, target, given),
  ];
}

/** `.replace(A).replace(B)` in the other order. */
function chainIdioms(target: SyntaxNode, list: SyntaxNode): Mutation[] {
  const object = target.childForFieldName('object');
  const name = (target.childForFieldName('attribute') ?? target.childForFieldName('property'))?.text;
  const innerTarget = object?.childForFieldName('function') ?? null;
  const innerList = object?.childForFieldName('arguments') ?? null;
  const innerName = (innerTarget?.childForFieldName('attribute') ?? innerTarget?.childForFieldName('property'))?.text;
  if (object === null || innerTarget === null || innerList === null || name !== innerName) return [];
  const whole = {
    startIndex: object.startIndex,
    endIndex: list.endIndex,
    startPosition: object.startPosition,
    text: `${target.text}${list.text}`,
  };
  return [makeMutation(whole, `${innerTarget.text}${list.text}.${name ?? ''}${innerList.text}`, 6)];
}

/** A parameter of a function of this file that a call leaves out, where a variable of that name is at hand. */
function missingArguments(target: SyntaxNode, list: SyntaxNode, failureContext: MutationContext): Mutation[] {
  const given = childrenOf(list);
  for (const node of failureContext.all) {
    const name = node.childForFieldName('name')?.text;
    const parameters = node.childForFieldName('parameters');
    if (parameters === null || name === undefined || name !== target.text.split('.').pop()) continue;
    const names = childrenOf(parameters).map(
      (one) => (one.childForFieldName('name') ?? one.childForFieldName('left') ?? one).text,
    );
    const wanted = names.filter((one) => one !== 'self').slice(given.length);
    const [next] = wanted;
    if (next === undefined || !/^\w+$/.test(next)) return [];
    const form = failureContext.language === 'python' ? `${next}=${next}` : next;
    const inner = list.text.slice(1, -1).replace(/,\s*$/, '');
    return [makeMutation(list, `(${inner}${given.length > 0 ? ', ' : ''}${form})`, 4)];
  }
  return [];
}

/** `f(sign * a, b)`: the factor that only one of the arguments has. */
function factorIdioms(given: readonly SyntaxNode[]): Mutation[] {
  const factor = given
    .find((one) => one.type.startsWith('binary') && one.childForFieldName('operator')?.text === '*')
    ?.childForFieldName('left');
  if (factor === undefined || factor === null || factor.type !== 'identifier') return [];
  return given
    .filter((one) => one.type === 'identifier')
    .map((one) => makeMutation(one, `${factor.text} * ${one.text}`, 5));
}

function roundingIdioms(node: SyntaxNode, target: SyntaxNode, given: readonly SyntaxNode[]): Mutation[] {
  const [first] = given;
  if (first === undefined) return [];
  if (target.text === 'round' && given.length === 1)
    return [makeMutation(node, `int(${first.text} + 0.5)`, 5), makeMutation(node, `round(${first.text}, 2)`, 6)];
  if (target.text === 'int' && given.length === 1)
    return [makeMutation(node, `round(${first.text})`, 5), makeMutation(node, `int(${first.text} + 0.5)`, 5)];
  if (target.text === 'enumerate' && given.length === 1) return [makeMutation(node, `enumerate(${first.text}, 1)`, 4)];
  if (target.text === 'sorted' && given.length === 1)
    return [
      makeMutation(node, `sorted(${first.text}, key=str.lower)`, 7),
      makeMutation(node, `sorted(${first.text}, key=len)`, 8),
    ];
  return [];
}
