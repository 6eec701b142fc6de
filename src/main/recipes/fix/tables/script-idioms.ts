import { childrenOf } from '../../code/code-spans.ts';
import type { SyntaxNode } from '../../code/code-syntax.ts';
import { droppedResult, everyForm, isSimple, makeMutation, type Mutation } from '../mechanical/mutation.ts';

/** Slips that JavaScript invites. */
export function scriptIdioms(node: SyntaxNode): Mutation[] {
  switch (node.type) {
    case 'if_statement': {
      const condition = node.childForFieldName('condition')?.namedChild(0) ?? null;
      return condition === null ? [] : truthIdioms(condition);
    }
    case 'ternary_expression': {
      const condition = node.childForFieldName('condition');
      return condition === null ? [] : truthIdioms(condition);
    }
    case 'unary_expression': {
      const inner = node.text.startsWith('!') ? node.childForFieldName('argument') : null;
      return inner !== null && isSimple(inner) ? [makeMutation(node, `${inner.text} == null`, 5)] : [];
    }
    case 'expression_statement':
      return droppedResult(node);
    case 'variable_declarator':
      return splitIdioms(node);
    case 'call_expression':
      return scriptCalls(node);
    case 'subscript_expression':
      return node.parent?.childForFieldName('left')?.id === node.id
        ? []
        : everyForm(node, ['(§ ?? 0)', '(§ ?? [])'], 7);
    default:
      return [];
  }
}

function truthIdioms(condition: SyntaxNode): Mutation[] {
  const inner = condition.type === 'unary_expression' ? condition.childForFieldName('argument') : null;
  if (inner !== null && isSimple(inner))
    return [
      makeMutation(condition, `${inner.text} == null`, 4),
      makeMutation(condition, `${inner.text} === undefined`, 5),
    ];
  return isSimple(condition)
    ? [
        makeMutation(condition, `${condition.text} != null`, 4),
        makeMutation(condition, `${condition.text} !== undefined`, 5),
      ]
    : [];
}

/** `[name, value] = part.split('=')` loses what comes after the second separator. */
function splitIdioms(node: SyntaxNode): Mutation[] {
  const pattern = /^\[\s*(\w+)\s*,\s*(\w+)\s*(?:=[^\]]+)?\]$/.exec(node.childForFieldName('name')?.text ?? '');
  const value = node.childForFieldName('value');
  const call = /^[\w.]+\.split\((.+)\)$/.exec(value?.text ?? '');
  if (pattern === null || value === null || call === null) return [];
  const [, first, second] = pattern;
  return [
    makeMutation(node, `[${first}, ...${second}Parts] = ${value.text}, ${second} = ${second}Parts.join(${call[1]})`, 4),
    makeMutation(value, `${value.text}.map((part) => part.trim())`, 6),
  ];
}

function scriptCalls(node: SyntaxNode): Mutation[] {
  const target = node.childForFieldName('function');
  const given = childrenOf(node.childForFieldName('arguments') ?? node);
  const [first] = given;
  const name = target?.text.split('.').pop() ?? '';
  const object = target?.childForFieldName('object')?.text ?? '';
  const mutations: Mutation[] = [];
  if (first !== undefined && /^this\.\w+$/.test(first.text))
    mutations.push(makeMutation(first, `${first.text}.bind(this)`, 5));
  if (name === 'indexOf' && node.parent?.type !== 'binary_expression')
    mutations.push(makeMutation(node, `${node.text} !== -1`, 5));
  if (/^(slice|substring|substr)$/.test(name) && first !== undefined) {
    if (given.length === 1)
      mutations.push(
        makeMutation(node, `${object}.slice(0, ${first.text})`, 5),
        makeMutation(node, `${object}.slice(-${first.text})`, 5),
      );
    else
      mutations.push(
        makeMutation(node, `${object}.slice(${first.text}, ${first.text} + ${given[1]?.text ?? ''})`, 6),
        makeMutation(node, `${object}.slice(${first.text})`, 6),
      );
  }
  if (name === 'split' && given.length === 1)
    mutations.push(
      makeMutation(node, `${node.text}.filter(Boolean)`, 6),
      makeMutation(node, `${node.text}.map((part) => part.trim())`, 6),
    );
  if (name === 'replace' && first?.type === 'string')
    mutations.push(makeMutation(node, node.text.replace(/\.replace\(/, '.replaceAll('), 3));
  if (name === 'round' && first !== undefined)
    mutations.push(makeMutation(node, `Math.round(${first.text} * 100) / 100`, 7));
  return mutations;
}
