import { childrenOf } from '../../code/code-spans.ts';
import type { SyntaxNode } from '../../code/code-syntax.ts';
import { makeMutation, type Mutation } from '../mechanical/mutation.ts';
import type { MutationContext } from './repair-templates.ts';

/** Slips with what lasts: a field that is not begun anew, a callback that nobody waits for, a time that loses its days or its zone. */
export function stateMutations(failureContext: MutationContext): readonly Mutation[] {
  const fields = initialFields(failureContext);
  return failureContext.nodes.flatMap((node) => [
    ...resets(node, fields, failureContext),
    ...calls(node),
    ...times(node),
    ...keys(node, failureContext),
  ]);
}

interface Field {
  /** `self.items`, `this.#items`. */
  readonly target: string;
  readonly value: string;
}

const empty = /^(\[\]|\{\}|0|null|None|''|""|false|False|new (Map|Set)\(\)|set\(\)|dict\(\)|list\(\))$/;
const mostFields = 6;

/** What a class begins with that is empty. */
function initialFields({ all, language }: MutationContext): readonly Field[] {
  const fields = all.flatMap((node): Field[] => {
    const isField = node.type === 'field_definition';
    if (!isField && !/^assignment(_expression)?$/.test(node.type)) return [];
    const name = node.childForFieldName(isField ? 'property' : 'left')?.text ?? '';
    const value = node.childForFieldName(isField ? 'value' : 'right')?.text ?? '';
    const target = isField ? `this.${name}` : name;
    const isOwn = language === 'python' ? /^self\.\w+$/.test(target) : /^this\.#?\w+$/.test(target);
    return isOwn && empty.test(value) ? [{ target, value }] : [];
  });
  return [...new Map(fields.map((field) => [field.target, field])).values()].slice(0, mostFields);
}

/** A method that should have emptied a field as well, at its end. */
function resets(node: SyntaxNode, fields: readonly Field[], { language }: MutationContext): Mutation[] {
  const name = node.childForFieldName('name')?.text ?? '';
  const isMethod = node.type === 'method_definition' || (language === 'python' && node.type === 'function_definition');
  const body = node.childForFieldName('body');
  const last = body === null ? undefined : childrenOf(body).findLast((one) => one.type !== 'comment');
  if (!isMethod || body === null || last === undefined || /^(constructor|__init__)$/.test(name)) return [];
  if (language === 'python' && !/\bself\b/.test(node.childForFieldName('parameters')?.text ?? '')) return [];
  const indent = ' '.repeat(last.startPosition.column);
  const end = language === 'python' ? '' : ';';
  return fields
    .filter(({ target, value }) => !body.text.includes(`${target} = ${value}`))
    .map(({ target, value }) => {
      const reset = `${target} = ${value}${end}`;
      const isReturn = last.type === 'return_statement';
      return makeMutation(last, isReturn ? `${reset}\n${indent}${last.text}` : `${last.text}\n${indent}${reset}`, 6);
    });
}

/** `rows.forEach(async (row) => { … })` is waited for by nobody: a loop is. */
function calls(node: SyntaxNode): Mutation[] {
  if (node.type !== 'expression_statement') return [];
  const call = node.namedChild(0);
  const target = call?.childForFieldName('function') ?? null;
  const [callback, another] = childrenOf(call?.childForFieldName('arguments') ?? node);
  if (target?.childForFieldName('property')?.text !== 'forEach' || callback?.type !== 'arrow_function') return [];
  const body = callback.childForFieldName('body');
  const given = callback.childForFieldName('parameters') ?? callback.childForFieldName('parameter');
  if (!/^async\b/.test(callback.text) || another !== undefined || body?.type !== 'statement_block') return [];
  const item = (given?.text ?? '').replace(/^\((.*)\)$/s, '$1');
  const list = target.childForFieldName('object')?.text ?? '';
  const block = body.text.replaceAll(/\breturn;/g, 'continue;');
  return item === '' ? [] : [makeMutation(node, `for (const ${item} of ${list}) ${block}`, 2)];
}

function times(node: SyntaxNode): Mutation[] {
  switch (node.type) {
    case 'attribute': {
      const [object] = childrenOf(node);
      const isSeconds = node.childForFieldName('attribute')?.text === 'seconds' && object !== undefined;
      return isSeconds ? [makeMutation(node, `int(${object.text}.total_seconds())`, 3)] : [];
    }
    case 'call': {
      const zone = /^(.*)\.replace\(tzinfo=([\w.]+)\)$/s.exec(node.text);
      if (zone === null) return [];
      const [, time = '', to = ''] = zone;
      return [
        makeMutation(node, `(${time} if ${time}.tzinfo else ${node.text}).astimezone(${to})`, 4),
        makeMutation(node, `${time}.astimezone(${to})`, 4.2),
      ];
    }
    case 'binary_expression': {
      // Sunday is day 0: the day before it is the last of the week.
      const day = /^(.*\.get(?:UTC)?Day\(\)) - 1$/s.exec(node.text);
      return day === null ? [] : [makeMutation(node, `(${day[1] ?? ''} + 6) % 7`, 3)];
    }
    default:
      return [];
  }
}

/** Of all that was given only the first counts. */
function keys(node: SyntaxNode, { all, language }: MutationContext): Mutation[] {
  const list = /^(\w+)\[0\]$/.exec(node.text)?.[1];
  if (list === undefined || !node.type.startsWith('subscript')) return [];
  const rest = language === 'python' ? `*${list}` : `...${list}`;
  if (!all.some((one) => /^(rest_pattern|list_splat_pattern)$/.test(one.type) && one.text === rest)) return [];
  return [makeMutation(node, language === 'python' ? list : `JSON.stringify(${list})`, 3)];
}
