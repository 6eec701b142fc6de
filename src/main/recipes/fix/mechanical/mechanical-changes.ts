import type { Span } from '../../code/code-spans.ts';
import { walk, type Syntax, type SyntaxNode } from '../../code/code-syntax.ts';
import type { Candidate, Origin } from '../../trial/candidate-change.ts';

/** One small change of text, by offsets in the file. */
interface Mutation {
  readonly start: number;
  readonly end: number;
  readonly text: string;
  readonly line: number;
  /** How often such a slip is the bug: lower ranks are tried first. */
  readonly rank: number;
  readonly what: string;
}

const swaps: Readonly<Record<string, readonly string[]>> = {
  '<': ['<=', '>'],
  '<=': ['<', '>='],
  '>': ['>=', '<'],
  '>=': ['>', '<='],
  '==': ['!='],
  '!=': ['=='],
  '===': ['!=='],
  '!==': ['==='],
  '+': ['-'],
  '-': ['+'],
  '*': ['/'],
  '/': ['*', '//'],
  '//': ['/'],
  '%': ['//'],
  '+=': ['-=', '='],
  '-=': ['+='],
  and: ['or'],
  or: ['and'],
  '&&': ['||'],
  '||': ['&&', '??'],
  '??': ['||'],
  is: ['is not'],
  in: ['not in'],
  'not in': ['in'],
  'is not': ['is'],
  break: ['continue'],
  continue: ['break'],
  True: ['False'],
  False: ['True'],
  true: ['false'],
  false: ['true'],
  '..': ['...'],
};

/** Names that are often confused. */
const nameSwaps: readonly (readonly [string, string])[] = [
  ['min', 'max'],
  ['floor', 'ceil'],
  ['floor', 'round'],
  ['ceil', 'round'],
  ['push', 'unshift'],
  ['pop', 'shift'],
  ['any', 'all'],
  ['some', 'every'],
  ['append', 'extend'],
  ['lower', 'upper'],
  ['toLowerCase', 'toUpperCase'],
  ['lstrip', 'rstrip'],
  ['strip', 'rstrip'],
  ['startswith', 'endswith'],
  ['startsWith', 'endsWith'],
  ['indexOf', 'lastIndexOf'],
  ['find', 'rfind'],
  ['split', 'rsplit'],
  ['partition', 'rpartition'],
  ['padStart', 'padEnd'],
  ['ljust', 'rjust'],
  ['trimStart', 'trimEnd'],
  ['keys', 'values'],
  ['replace', 'replaceAll'],
  ['match', 'fullmatch'],
  ['union', 'intersection'],
  ['add', 'discard'],
  ['append', 'appendleft'],
  ['popleft', 'pop'],
  ['setdefault', 'get'],
  ['test', 'match'],
];

/**
 * All small changes of the given lines of a file, the likeliest first within a line. Changes that do not parse are left
 * out.
 */
function mutationsOf(
  syntax: Syntax,
  text: string,
  span: Pick<Span, 'language' | 'startLine' | 'endLine'>,
): readonly Mutation[] {
  const found = syntax.withTree(span.language, text, (root) => {
    const begun = [...walk(root)].filter((node) => lineOf(node) >= span.startLine && lineOf(node) <= span.endLine);
    return begun.flatMap((node) => [...leafMutations(node, lineOf(node)), ...treeMutations(node, lineOf(node), text)]);
  });
  const seen = new Set<string>();
  return found.filter((mutation) => {
    const key = `${mutation.start}:${mutation.end}:${mutation.text}`;
    if (seen.has(key) || text.slice(mutation.start, mutation.end) === mutation.text) return false;
    seen.add(key);
    return true;
  });
}

/**
 * Variations of a change that tests of its lines should notice: the small changes, and others that would never be a
 * repair (another operator, one operand alone, an empty text or list).
 */
export function mutantsOf(
  syntax: Syntax,
  text: string,
  span: Pick<Span, 'language' | 'startLine' | 'endLine'>,
): readonly Mutation[] {
  const altered = syntax.withTree(span.language, text, (root) =>
    [...walk(root)]
      .filter((node) => lineOf(node) >= span.startLine && lineOf(node) <= span.endLine)
      .flatMap((node) => alteredTexts(node).map((one) => change(node, one, lineOf(node), 5))),
  );
  return [...mutationsOf(syntax, text, span), ...altered.filter((one) => text.slice(one.start, one.end) !== one.text)];
}

function alteredTexts(node: SyntaxNode): readonly string[] {
  const left = node.childForFieldName('left')?.text;
  const right = node.childForFieldName('right')?.text;
  const operator = node.childForFieldName('operator')?.text ?? '';
  if (node.type.startsWith('binary_') && left !== undefined && right !== undefined && /^[-+*/%]$/.test(operator))
    return [`${left} ${operator === '*' ? '+' : '*'} ${right}`, left, right];
  const parent = node.parent?.type ?? '';
  if (/^(string|template_string)$/.test(node.type) && !/import|expression_statement/.test(parent)) return ["''"];
  return /^(list|array)$/.test(node.type) ? ['[]'] : [];
}

const lineOf = (node: SyntaxNode): number => node.startPosition.row + 1;

export function applyMutation(text: string, mutation: Mutation): string {
  return text.slice(0, mutation.start) + mutation.text + text.slice(mutation.end);
}

function change(node: SyntaxNode, text: string, line: number, rank: number): Mutation {
  return {
    start: node.startIndex,
    end: node.endIndex,
    text,
    line,
    rank,
    what: `${short(node.text)} to ${short(text)}`,
  };
}

const short = (text: string): string => text.replaceAll(/\s+/g, ' ').slice(0, 40);

function leafMutations(node: SyntaxNode, line: number): Mutation[] {
  if (node.childCount > 0 && node.type !== 'not in' && node.type !== 'is not') return [];
  const parent = node.parent?.type ?? '';
  if (/string|template|comment|regex|jsx|import|type_/.test(parent)) return [];
  if (/^(integer|number)$/.test(node.type)) return numberMutations(node, line);
  if (node.type.endsWith('identifier')) return nameMutations(node, line);
  if (node.isNamed && !/^(true|false)$/i.test(node.type)) return [];
  if (parent === 'for_in_clause' || parent === 'for_statement' || parent === 'for_in_statement') return [];
  if ((node.type === '*' || node.type === '/') && !/binary|expression/.test(parent)) return [];
  const rank = /^[<>]/.test(node.type) ? 1 : /^[=!]=|^[-+]$|and|or|&&|\|\|/.test(node.type) ? 2 : 4;
  return (swaps[node.text] ?? []).map((text, index) => change(node, text, line, rank + index * 3));
}

function numberMutations(node: SyntaxNode, line: number): Mutation[] {
  if (!/^\d+$/.test(node.text)) return [];
  const value = Number(node.text);
  const values = value === 0 ? [1] : value === 1 ? [0, 2] : [value + 1, value - 1];
  const minusOne = value === 0 ? [change(node, '-1', line, 6)] : [];
  return [...values.map((one, index) => change(node, String(one), line, 3 + index)), ...minusOne];
}

function nameMutations(node: SyntaxNode, line: number): Mutation[] {
  // A change of an order or a side effect passes weak tests more often than it repairs something.
  const rank = /^(push|unshift|pop|shift|keys|values)$/.test(node.text) ? 6 : 3;
  const taken = nameSwaps.filter((pair) => pair.includes(node.text));
  return taken.map(([one, other]) => change(node, node.text === one ? other : one, line, rank));
}

/** Changes that depend on more than one leaf. */
function treeMutations(node: SyntaxNode, line: number, text: string): Mutation[] {
  switch (node.type) {
    case 'binary_operator':
    case 'binary_expression':
      return [...operandMutations(node, line), ...groupMutations(node, line)];
    case 'comparison_operator':
      return edgeMutations(node, line);
    case 'call':
    case 'call_expression':
      return callMutations(node, line);
    case 'subscript':
    case 'subscript_expression':
    case 'slice':
      return edgeMutations(node, line);
    case 'if_statement':
    case 'elif_clause':
    case 'while_statement':
      return conditionMutations(node, line);
    case 'not_operator':
    case 'unary_operator':
    case 'unary_expression':
      return dropOperator(node, line);
    case 'return_statement':
      return returnMutations(node, line);
    case 'expression_statement':
      return statementMutations(node, line, text);
    case 'augmented_assignment':
    case 'lexical_declaration':
      return [];
    default:
      return [];
  }
}

/** `a + 1` to `a`, `a - b` to `b - a`. */
function operandMutations(node: SyntaxNode, line: number): Mutation[] {
  const left = node.childForFieldName('left');
  const right = node.childForFieldName('right');
  const operator = node.childForFieldName('operator')?.text ?? '';
  if (left === null || right === null) return [];
  const mutations: Mutation[] = [];
  if (/^[-+]$/.test(operator) && right.text === '1') mutations.push(change(node, left.text, line, 2));
  if (/^[-/%]$/.test(operator) || operator === '//')
    mutations.push(change(node, `${right.text} ${operator} ${left.text}`, line, 5));
  if (operator === '-') mutations.push(change(node, `abs(${node.text})`, line, 9));
  if (/^(<|<=|>|>=)$/.test(operator)) mutations.push(...plusMinusOne(right, line, 5));
  if (/^(\|\||\?\?)$/.test(operator)) mutations.push(change(node, left.text, line, 6));
  if (/^(&&|\|\|)$/.test(operator)) mutations.push(change(node, left.text, line, 6), change(node, right.text, line, 6));
  return mutations;
}

/** `a + b / c` to `(a + b) / c`, `a / b + c` to `(a + c) / b`. */
function groupMutations(node: SyntaxNode, line: number): Mutation[] {
  const left = node.childForFieldName('left');
  const right = node.childForFieldName('right');
  const operator = node.childForFieldName('operator')?.text ?? '';
  if (left === null || right === null) return [];
  const begun = left.type.startsWith('binary') ? left : null;
  const divisor = begun?.childForFieldName('right')?.text ?? '';
  const outer = begun?.childForFieldName('operator')?.text ?? '';
  if (begun !== null && /^[-+]$/.test(operator) && /^[*/]/.test(outer)) {
    const dividend = begun.childForFieldName('left')?.text ?? '';
    return [change(node, `(${dividend} ${operator} ${right.text}) ${outer} ${divisor}`, line, 5)];
  }
  const inner = right.type.startsWith('binary') ? right : null;
  if (inner === null) return [];
  const first = inner.childForFieldName('left')?.text ?? '';
  const innerOperator = inner.childForFieldName('operator')?.text ?? '';
  const last = inner.childForFieldName('right')?.text ?? '';
  return [change(node, `(${left.text} ${operator} ${first}) ${innerOperator} ${last}`, line, 6)];
}

function plusMinusOne(node: SyntaxNode, line: number, rank: number): Mutation[] {
  if (/^(integer|number|string|none|null|true|false)$/.test(node.type) || node.text.length > 40) return [];
  return [change(node, `${node.text} + 1`, line, rank), change(node, `${node.text} - 1`, line, rank)];
}

/** `x[i]`, `x[a:b]`, `a < b`: one more or one less at the edge. */
function edgeMutations(node: SyntaxNode, line: number): Mutation[] {
  const value = node.childForFieldName('value') ?? node.childForFieldName('object');
  const children = node.namedChildren.filter((child) => child !== null && child.id !== value?.id);
  return children.flatMap((child) => (child === null || child.type === 'slice' ? [] : plusMinusOne(child, line, 6)));
}

function callMutations(node: SyntaxNode, line: number): Mutation[] {
  const name = node.childForFieldName('function')?.text ?? '';
  const list = node.childForFieldName('arguments');
  const given = list?.namedChildren.filter((child) => child !== null) ?? [];
  const mutations: Mutation[] = [];
  const [first, second] = given;
  if (list !== null && first !== undefined && second !== undefined && given.length === 2) {
    mutations.push(change(list, `(${second.text}, ${first.text})`, line, 6));
  }
  if (/(^|\.)(range|slice|substring|substr|insert|splice|randint)$/.test(name)) {
    mutations.push(...given.flatMap((one) => plusMinusOne(one, line, 3)));
  }
  if (/\.(sort|toSorted)$/.test(name) && given.length === 0 && list !== null) {
    mutations.push(change(list, '((a, b) => a - b)', line, 1));
  }
  if (/^parseInt$/.test(name) && given.length === 1 && list !== null)
    mutations.push(change(list, `(${first?.text ?? ''}, 10)`, line, 5));
  if (node.parent?.type !== 'await_expression' && node.parent?.type !== 'await' && isInAsync(node)) {
    mutations.push(change(node, `await ${node.text}`, line, 2));
  }
  return mutations;
}

function isInAsync(node: SyntaxNode): boolean {
  for (let at = node.parent; at !== null; at = at.parent) {
    if (/function|method|arrow/.test(at.type)) return /^(export )?(default )?(static )?async\b/.test(at.text);
  }
  return false;
}

function conditionMutations(node: SyntaxNode, line: number): Mutation[] {
  const condition = node.childForFieldName('condition');
  if (condition === null || node.type === 'while_statement') return [];
  if (/^!|^not |^\(!/.test(condition.text)) return [];
  const isPython = condition.type !== 'parenthesized_expression';
  const simple = /^\(?[\w.()]+\)?$/.test(condition.text);
  const negated = isPython
    ? simple
      ? `not ${condition.text}`
      : `not (${condition.text})`
    : `(!${simple ? condition.text.slice(1, -1) : condition.text})`;
  return [change(condition, negated, line, 5)];
}

/** `not x` to `x`, `-x` to `x`. */
function dropOperator(node: SyntaxNode, line: number): Mutation[] {
  const argument = node.childForFieldName('argument') ?? node.childForFieldName('operand');
  return argument === null || /^(typeof|void|delete)/.test(node.text) ? [] : [change(node, argument.text, line, 4)];
}

function returnMutations(node: SyntaxNode, line: number): Mutation[] {
  const value = node.namedChild(0);
  if (value === null) return [];
  if (/^(identifier|call|call_expression|attribute|member_expression)$/.test(value.type))
    return [change(value, `-${value.text}`, line, 8)];
  return [];
}

/** A computed value that is dropped may have to be returned; a statement may have to be removed. */
function statementMutations(node: SyntaxNode, line: number, text: string): Mutation[] {
  const inner = node.namedChild(0);
  if (inner === null || inner.type === 'string') return [];
  const next = node.nextNamedSibling;
  const mutations: Mutation[] = [];
  const isLast = next === null;
  if (
    isLast &&
    /^(call|call_expression|binary_operator|binary_expression|identifier|await|await_expression)$/.test(inner.type)
  ) {
    mutations.push(change(node, `return ${node.text}`, line, 4));
  }
  const filler = /;\s*$/.test(node.text) || text.includes('{') ? '' : 'pass';
  mutations.push(change(node, filler === 'pass' ? 'pass' : ';', line, 7));
  return mutations;
}

/** Small changes as candidates: the most suspicious line and the likeliest slips first, at most `limit`. */
export function mechanicalCandidates(
  syntax: Syntax,
  file: { readonly path: string; readonly text: string },
  spans: readonly Span[],
  options: { readonly weigh: (line: number) => number; readonly limit: number },
): readonly Candidate[] {
  const { weigh, limit } = options;
  const scored = spans.flatMap((span) =>
    mutationsOf(syntax, file.text, span).map((mutation) => ({
      span,
      mutation,
      score: weigh(mutation.line) / (1 + mutation.rank),
    })),
  );
  scored.sort((left, right) => right.score - left.score || left.mutation.start - right.mutation.start);
  const origin: Origin = 'mechanical';
  const candidates: Candidate[] = [];
  for (const { span, mutation } of scored) {
    if (candidates.length >= limit) break;
    const text = applyMutation(file.text, mutation);
    if (syntax.errorLine(span.language, text) !== null) continue;
    candidates.push({
      files: [{ path: file.path, text }],
      origin,
      label: `${span.name}: ${mutation.what} in line ${mutation.line}`,
      span,
    });
  }
  return candidates;
}
