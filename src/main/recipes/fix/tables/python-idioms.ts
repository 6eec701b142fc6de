import { childrenOf } from '../../code/code-spans.ts';
import type { SyntaxNode } from '../../code/code-syntax.ts';
import { droppedResult, isSimple, makeMutation, type Mutation } from '../mechanical/mutation.ts';
import type { MutationContext } from './repair-templates.ts';

/** Slips that Python invites. */
export function pythonIdioms(node: SyntaxNode, failureContext: MutationContext): Mutation[] {
  switch (node.type) {
    case 'if_statement':
    case 'elif_clause':
    case 'conditional_expression': {
      const condition =
        node.type === 'conditional_expression' ? (node.namedChildren[1] ?? null) : node.childForFieldName('condition');
      if (condition === null) return [];
      const inner = condition.type === 'not_operator' ? condition.childForFieldName('argument') : null;
      // A flag is never None.
      if (
        new RegExp(`\\b${(inner ?? condition).text.replaceAll(/\W/g, '.')}(: bool)? ?= ?(True|False)`).test(
          failureContext.text,
        )
      )
        return [];
      if (inner !== null && isSimple(inner)) return [makeMutation(condition, `${inner.text} is None`, 4)];
      return isSimple(condition) ? [makeMutation(condition, `${condition.text} is not None`, 4)] : [];
    }
    case 'not_operator': {
      const inner = node.childForFieldName('argument');
      return inner !== null && isSimple(inner) ? [makeMutation(node, `${inner.text} is None`, 5)] : [];
    }
    case 'boolean_operator': {
      const left = node.childForFieldName('left');
      const right = node.childForFieldName('right');
      const isOr = node.childForFieldName('operator')?.text === 'or';
      if (left === null || right === null) return [];
      const dropped = [makeMutation(node, left.text, 6), makeMutation(node, right.text, 6)];
      return isOr && isSimple(left)
        ? [makeMutation(node, `${left.text} if ${left.text} is not None else ${right.text}`, 4), ...dropped]
        : dropped;
    }
    case 'expression_statement':
      return [...droppedResult(node), ...lastTurn(node)];
    case 'default_parameter':
      return sharedDefault(node, failureContext);
    case 'return_statement':
    case 'break_statement':
    case 'assignment':
      return dedentStatement(node, failureContext);
    case 'subscript': {
      const value = node.childForFieldName('value');
      const key = node.childForFieldName('subscript');
      if (value === null || key === null) return [];
      if (key.type === 'slice') return sliceIdioms(node, value, key);
      return node.parent?.childForFieldName('left')?.id === node.id
        ? []
        : [
            makeMutation(node, `${value.text}.get(${key.text})`, 6),
            makeMutation(node, `${value.text}.get(${key.text}, 0)`, 6),
          ];
    }
    default:
      return [];
  }
}

function sliceIdioms(node: SyntaxNode, value: SyntaxNode, slice: SyntaxNode): Mutation[] {
  const forms: readonly (readonly [RegExp, readonly string[]])[] = [
    [/^:([^:]+)$/, ['-$1:', '$1:', ':$1 + 1', ':$1 - 1']],
    [/^([^:]+):$/, [':$1', '$1 + 1:', '$1 - 1:', ':']],
    [/^([^:]+):([^:]+)$/, ['$1:$2 + 1', '$1 + 1:$2', '$1:', '$1:$1 + $2']],
  ];
  const plain = slice.text.replaceAll(' ', '');
  const found = forms.find(([pattern]) => pattern.test(plain));
  if (found === undefined || plain === ':') return [];
  return found[1].map((form, index) =>
    makeMutation(node, `${value.text}[${plain.replace(found[0], form)}]`, 5 + index * 0.2),
  );
}

/** What a counted loop does between its turns must not be done after the last one. */
function lastTurn(node: SyntaxNode): Mutation[] {
  for (let at = node.parent; at !== null; at = at.parent) {
    if (at.type.startsWith('function')) return [];
    if (at.type !== 'for_statement') continue;
    const counter = at.childForFieldName('left')?.text ?? '';
    const range = /^range\((?:(.+), )?([^,()]+|len\([\w.]+\))\)$/.exec(at.childForFieldName('right')?.text ?? '');
    const end = range?.[2];
    if (end === undefined || !/^\w+$/.test(counter)) return [];
    const indent = ' '.repeat(node.startPosition.column);
    const inner = node.text
      .split('\n')
      .map((line, index) => (index === 0 ? line : `    ${line}`))
      .join('\n');
    const guard = (test: string) => `if ${test}:\n${indent}    ${inner}`;
    const next = node.nextNamedSibling;
    const both =
      next === null
        ? []
        : [
            makeMutation(
              {
                startIndex: node.startIndex,
                endIndex: next.endIndex,
                startPosition: node.startPosition,
                text: node.text,
              },
              `${guard(`${counter} < ${end} - 1`)}\n${indent}    ${next.text}`,
              5,
            ),
          ];
    return [
      makeMutation(node, guard(`${counter} < ${end} - 1`), 5),
      ...both,
      makeMutation(node, guard(`${counter} > ${range?.[1] ?? '0'}`), 6),
    ];
  }
  return [];
}

/** `def f(x=[])` shares its list between calls. */
function sharedDefault(node: SyntaxNode, failureContext: MutationContext): Mutation[] {
  const value = node.childForFieldName('value');
  const name = node.childForFieldName('name')?.text ?? '';
  if (value === null || !/^(\[\]|\{\}|list\(\)|dict\(\)|set\(\))$/.test(value.text)) return [];
  const definition = node.parent?.parent ?? null;
  const body = definition?.childForFieldName('body') ?? null;
  if (body === null) return [];
  const statements = childrenOf(body);
  const first = statements[0]?.namedChild(0)?.type === 'string' ? statements[1] : statements[0];
  if (first === undefined) return [];
  const indent = ' '.repeat(first.startPosition.column);
  const head = failureContext.text.slice(value.endIndex, first.startIndex);
  const whole = {
    startIndex: value.startIndex,
    endIndex: first.startIndex,
    startPosition: node.startPosition,
    text: value.text,
  };
  return [makeMutation(whole, `None${head}if ${name} is None:\n${indent}    ${name} = ${value.text}\n${indent}`, 2)];
}

/** A statement that ends a block may belong behind it. */
function dedentStatement(node: SyntaxNode, failureContext: MutationContext): Mutation[] {
  const statement = node.type === 'assignment' ? node.parent : node;
  const column = statement?.startPosition.column ?? 0;
  if (statement === null || statement.nextNamedSibling !== null || column < 8 || statement.text.includes('\n'))
    return [];
  const lineStart = statement.startIndex - column;
  const outer = statement.parent?.parent?.startPosition.column ?? column - 4;
  const whole = {
    startIndex: lineStart,
    endIndex: statement.endIndex,
    startPosition: statement.startPosition,
    text: failureContext.text.slice(lineStart, statement.endIndex),
  };
  return [
    {
      ...makeMutation(whole, `${' '.repeat(outer)}${statement.text}`, 5),
      what: `${statement.text.slice(0, 40)} moved out of its block`,
    },
  ];
}
