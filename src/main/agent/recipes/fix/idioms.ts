import { childrenOf } from '../code/spans.ts';
import { walk, type SyntaxNode } from '../code/syntax.ts';
import type { Mutation } from './mechanical.ts';
import type { TemplateScene } from './templates.ts';

/** Slips that a language invites: falsy values, dropped results, shared defaults, rounding, the last turn of a loop. */
export function idiomMutations(scene: TemplateScene): readonly Mutation[] {
  const inSpan = (node: SyntaxNode) =>
    node.startPosition.row + 1 >= scene.startLine && node.endPosition.row + 1 <= scene.endLine;
  const python = scene.language === 'python';
  return [...walk(scene.root)].filter(inSpan).flatMap((node) => {
    const common = [...commonIdioms(node, scene), ...callIdioms(node, scene)];
    return python ? [...common, ...pythonIdioms(node, scene)] : [...common, ...scriptIdioms(node)];
  });
}

function make(
  node: Pick<SyntaxNode, 'startIndex' | 'endIndex' | 'startPosition' | 'text'>,
  text: string,
  rank: number,
): Mutation {
  const short = (one: string) => one.replaceAll(/\s+/g, ' ').trim().slice(0, 48);
  const line = node.startPosition.row + 1;
  return {
    start: node.startIndex,
    end: node.endIndex,
    text,
    line,
    rank,
    what: `${short(node.text)} to ${short(text)}`,
  };
}

const all = (node: SyntaxNode, forms: readonly string[], rank: number): Mutation[] =>
  forms.map((form, index) => make(node, form.replaceAll('§', node.text), rank + index * 0.2));

const isSimple = (node: SyntaxNode): boolean =>
  /^(identifier|attribute|member_expression|subscript|subscript_expression|call|call_expression)$/.test(node.type) &&
  node.text.length < 60;

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
function commonIdioms(node: SyntaxNode, scene: TemplateScene): Mutation[] {
  switch (node.type) {
    case 'string_fragment':
    case 'string_content': {
      const related = families.filter((family) => family.includes(node.text)).flat();
      return related.filter((one) => one !== node.text).map((one, index) => make(node, one, 5 + index * 0.2));
    }
    case 'binary_operator':
    case 'binary_expression':
      return arithmeticIdioms(node, scene);
    case 'comparison_operator':
      return comparisonIdioms(node, scene);
    case 'return_statement': {
      const value = node.namedChild(0);
      if (value === null || !(isSimple(value) || value.type.startsWith('binary'))) return [];
      return all(value, ['§ + 1', '§ - 1'], 7);
    }
    case 'none':
    case 'null':
    case 'undefined':
      return all(
        node,
        scene.language === 'python'
          ? ['[]', '{}', '0', "''", 'False']
          : ['[]', '{}', '0', "''", 'false', 'null', 'undefined'],
        9,
      );
    default:
      return [];
  }
}

function arithmeticIdioms(node: SyntaxNode, scene: TemplateScene): Mutation[] {
  const left = node.childForFieldName('left');
  const right = node.childForFieldName('right');
  const operator = node.childForFieldName('operator')?.text ?? '';
  if (left === null || right === null) return [];
  if (operator === '%' && scene.language !== 'python') {
    return [make(node, `((${node.text}) + ${right.text}) % ${right.text}`, 6)];
  }
  if (operator === '//') return [make(node, `-(-${left.text} // ${right.text})`, 5)];
  if (operator === '/') {
    const rounded =
      scene.language === 'python' ? ['round(§)', 'int(§)'] : ['Math.floor(§)', 'Math.round(§)', 'Math.ceil(§)'];
    return all(node, rounded, 7);
  }
  return /^(===?|!==?)$/.test(operator) ? comparisonIdioms(node, scene) : [];
}

/** Case and space that should not count; equal where at least was meant. */
function comparisonIdioms(node: SyntaxNode, scene: TemplateScene): Mutation[] {
  const [left, right] = childrenOf(node);
  if (left === undefined || right === undefined || childrenOf(node).length !== 2) return [];
  const between = scene.text.slice(left.endIndex, right.startIndex);
  const operator = between.trim();
  const fold = scene.language === 'python' ? '.lower()' : '.toLowerCase()';
  const mutations: Mutation[] = [];
  if (/^(==|===|!=|!==|in|not in)$/.test(operator) && (isSimple(left) || isSimple(right))) {
    const folded = (one: SyntaxNode) => (isSimple(one) ? `${one.text}${fold}` : one.text);
    mutations.push(make(node, `${folded(left)}${between}${folded(right)}`, 7));
  }
  if (/^===?$/.test(operator)) {
    mutations.push(make(node, `${left.text} >= ${right.text}`, 5), make(node, `${left.text} <= ${right.text}`, 5));
  }
  return mutations;
}

function callIdioms(node: SyntaxNode, scene: TemplateScene): Mutation[] {
  if (node.type !== 'call' && node.type !== 'call_expression') return [];
  const target = node.childForFieldName('function');
  const list = node.childForFieldName('arguments');
  if (target === null || list === null) return [];
  const given = childrenOf(list);
  return [
    ...chainIdioms(target, list),
    ...missingArguments(target, list, scene),
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
  return [make(whole, `${innerTarget.text}${list.text}.${name ?? ''}${innerList.text}`, 6)];
}

/** A parameter of a function of this file that a call leaves out, where a variable of that name is at hand. */
function missingArguments(target: SyntaxNode, list: SyntaxNode, scene: TemplateScene): Mutation[] {
  const given = childrenOf(list);
  for (const node of walk(scene.root)) {
    const name = node.childForFieldName('name')?.text;
    const parameters = node.childForFieldName('parameters');
    if (parameters === null || name === undefined || name !== target.text.split('.').pop()) continue;
    const names = childrenOf(parameters).map(
      (one) => (one.childForFieldName('name') ?? one.childForFieldName('left') ?? one).text,
    );
    const wanted = names.filter((one) => one !== 'self').slice(given.length);
    const [next] = wanted;
    if (next === undefined || !/^\w+$/.test(next)) return [];
    const form = scene.language === 'python' ? `${next}=${next}` : next;
    const inner = list.text.slice(1, -1).replace(/,\s*$/, '');
    return [make(list, `(${inner}${given.length > 0 ? ', ' : ''}${form})`, 4)];
  }
  return [];
}

/** `f(sign * a, b)`: the factor that only one of the arguments has. */
function factorIdioms(given: readonly SyntaxNode[]): Mutation[] {
  const factor = given
    .find((one) => one.type.startsWith('binary') && one.childForFieldName('operator')?.text === '*')
    ?.childForFieldName('left');
  if (factor === undefined || factor === null || factor.type !== 'identifier') return [];
  return given.filter((one) => one.type === 'identifier').map((one) => make(one, `${factor.text} * ${one.text}`, 5));
}

function roundingIdioms(node: SyntaxNode, target: SyntaxNode, given: readonly SyntaxNode[]): Mutation[] {
  const [first] = given;
  if (first === undefined) return [];
  if (target.text === 'round' && given.length === 1)
    return [make(node, `int(${first.text} + 0.5)`, 5), make(node, `round(${first.text}, 2)`, 6)];
  if (target.text === 'int' && given.length === 1)
    return [make(node, `round(${first.text})`, 5), make(node, `int(${first.text} + 0.5)`, 5)];
  if (target.text === 'enumerate' && given.length === 1) return [make(node, `enumerate(${first.text}, 1)`, 4)];
  if (target.text === 'sorted' && given.length === 1)
    return [make(node, `sorted(${first.text}, key=str.lower)`, 7), make(node, `sorted(${first.text}, key=len)`, 8)];
  return [];
}

function pythonIdioms(node: SyntaxNode, scene: TemplateScene): Mutation[] {
  switch (node.type) {
    case 'if_statement':
    case 'elif_clause':
    case 'conditional_expression': {
      const condition =
        node.type === 'conditional_expression' ? (node.namedChildren[1] ?? null) : node.childForFieldName('condition');
      if (condition === null) return [];
      const inner = condition.type === 'not_operator' ? condition.childForFieldName('argument') : null;
      if (inner !== null && isSimple(inner)) return [make(condition, `${inner.text} is None`, 4)];
      return isSimple(condition) ? [make(condition, `${condition.text} is not None`, 4)] : [];
    }
    case 'boolean_operator': {
      const left = node.childForFieldName('left');
      const right = node.childForFieldName('right');
      const isOr = node.childForFieldName('operator')?.text === 'or';
      if (left === null || right === null) return [];
      const dropped = [make(node, left.text, 6), make(node, right.text, 6)];
      return isOr && isSimple(left)
        ? [make(node, `${left.text} if ${left.text} is not None else ${right.text}`, 4), ...dropped]
        : dropped;
    }
    case 'expression_statement':
      return [...droppedResult(node, 'object'), ...lastTurn(node)];
    case 'default_parameter':
      return sharedDefault(node, scene);
    case 'return_statement':
    case 'break_statement':
    case 'assignment':
      return dedentStatement(node, scene);
    case 'subscript': {
      const value = node.childForFieldName('value');
      const key = node.childForFieldName('subscript');
      if (value === null || key === null) return [];
      if (key.type === 'slice') return sliceIdioms(node, value, key);
      return node.parent?.childForFieldName('left')?.id === node.id
        ? []
        : [make(node, `${value.text}.get(${key.text})`, 6), make(node, `${value.text}.get(${key.text}, 0)`, 6)];
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
  return found[1].map((form, index) => make(node, `${value.text}[${plain.replace(found[0], form)}]`, 5 + index * 0.2));
}

/** `text.strip()` alone does nothing: its result is to be kept. */
function droppedResult(node: SyntaxNode, field: string): Mutation[] {
  const call = node.namedChild(0);
  const object = call?.childForFieldName('function')?.childForFieldName(field) ?? null;
  if (call === null || !/^call/.test(call.type) || object === null || !/^[\w.]+$/.test(object.text)) return [];
  return [make(call, `${object.text} = ${call.text}`, 5)];
}

/** What a counted loop does between its turns must not be done after the last one. */
function lastTurn(node: SyntaxNode): Mutation[] {
  for (let at = node.parent; at !== null; at = at.parent) {
    if (/^function/.test(at.type)) return [];
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
            make(
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
      make(node, guard(`${counter} < ${end} - 1`), 5),
      ...both,
      make(node, guard(`${counter} > ${range?.[1] ?? '0'}`), 6),
    ];
  }
  return [];
}

/** `def f(x=[])` shares its list between calls. */
function sharedDefault(node: SyntaxNode, scene: TemplateScene): Mutation[] {
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
  const head = scene.text.slice(value.endIndex, first.startIndex);
  const whole = {
    startIndex: value.startIndex,
    endIndex: first.startIndex,
    startPosition: node.startPosition,
    text: value.text,
  };
  return [make(whole, `None${head}if ${name} is None:\n${indent}    ${name} = ${value.text}\n${indent}`, 2)];
}

/** A statement that ends a block may belong behind it. */
function dedentStatement(node: SyntaxNode, scene: TemplateScene): Mutation[] {
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
    text: scene.text.slice(lineStart, statement.endIndex),
  };
  return [
    {
      ...make(whole, `${' '.repeat(outer)}${statement.text}`, 5),
      what: `${statement.text.slice(0, 40)} moved out of its block`,
    },
  ];
}

function scriptIdioms(node: SyntaxNode): Mutation[] {
  switch (node.type) {
    case 'if_statement': {
      const condition = node.childForFieldName('condition')?.namedChild(0) ?? null;
      return condition === null ? [] : truthIdioms(condition);
    }
    case 'ternary_expression': {
      const condition = node.childForFieldName('condition');
      return condition === null ? [] : truthIdioms(condition);
    }
    case 'expression_statement':
      return droppedResult(node, 'object');
    case 'variable_declarator':
      return splitIdioms(node);
    case 'call_expression':
      return scriptCalls(node);
    case 'subscript_expression':
      return node.parent?.childForFieldName('left')?.id === node.id ? [] : all(node, ['(§ ?? 0)', '(§ ?? [])'], 7);
    default:
      return [];
  }
}

function truthIdioms(condition: SyntaxNode): Mutation[] {
  const inner = condition.type === 'unary_expression' ? condition.childForFieldName('argument') : null;
  if (inner !== null && isSimple(inner))
    return [make(condition, `${inner.text} == null`, 4), make(condition, `${inner.text} === undefined`, 5)];
  return isSimple(condition)
    ? [make(condition, `${condition.text} != null`, 4), make(condition, `${condition.text} !== undefined`, 5)]
    : [];
}

/** `[name, value] = part.split('=')` loses what comes after the second separator. */
function splitIdioms(node: SyntaxNode): Mutation[] {
  const pattern = /^\[\s*(\w+)\s*,\s*(\w+)(?:\s*=\s*[^\]]+)?\s*\]$/.exec(node.childForFieldName('name')?.text ?? '');
  const value = node.childForFieldName('value');
  const call = /^[\w.]+\.split\((.+)\)$/.exec(value?.text ?? '');
  if (pattern === null || value === null || call === null) return [];
  const [, first, second] = pattern;
  return [
    make(node, `[${first}, ...${second}Parts] = ${value.text}, ${second} = ${second}Parts.join(${call[1]})`, 4),
    make(value, `${value.text}.map((part) => part.trim())`, 6),
  ];
}

function scriptCalls(node: SyntaxNode): Mutation[] {
  const target = node.childForFieldName('function');
  const given = childrenOf(node.childForFieldName('arguments') ?? node);
  const [first] = given;
  const name = target?.text.split('.').pop() ?? '';
  const object = target?.childForFieldName('object')?.text ?? '';
  const mutations: Mutation[] = [];
  if (first !== undefined && /^this\.\w+$/.test(first.text)) mutations.push(make(first, `${first.text}.bind(this)`, 5));
  if (name === 'indexOf' && node.parent?.type !== 'binary_expression')
    mutations.push(make(node, `${node.text} !== -1`, 5));
  if (/^(slice|substring|substr)$/.test(name) && first !== undefined) {
    if (given.length === 1)
      mutations.push(
        make(node, `${object}.slice(0, ${first.text})`, 5),
        make(node, `${object}.slice(-${first.text})`, 5),
      );
    else
      mutations.push(
        make(node, `${object}.slice(${first.text}, ${first.text} + ${given[1]?.text ?? ''})`, 6),
        make(node, `${object}.slice(${first.text})`, 6),
      );
  }
  if (name === 'split' && given.length === 1)
    mutations.push(
      make(node, `${node.text}.filter(Boolean)`, 6),
      make(node, `${node.text}.map((part) => part.trim())`, 6),
    );
  if (name === 'replace' && first?.type === 'string')
    mutations.push(make(node, node.text.replace(/\.replace\(/, '.replaceAll('), 3));
  if (name === 'round' && first !== undefined) mutations.push(make(node, `Math.round(${first.text} * 100) / 100`, 7));
  return mutations;
}
