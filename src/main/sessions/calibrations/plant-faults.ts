import { Parser, type Node } from 'web-tree-sitter';
import { loadGrammar, type GrammarName } from '../../lib/syntax/grammars.ts';

/** One small change that makes code wrong, by offsets in its text. */
export interface PlantedFault {
  readonly start: number;
  readonly end: number;
  readonly text: string;
  /** 1-based. */
  readonly line: number;
  readonly operator: FaultOperator;
}

export type FaultOperator =
  | 'comparison'
  | 'arithmetic'
  | 'logic'
  | 'number'
  | 'truth value'
  | 'arguments'
  | 'guard'
  | 'negation';

export interface LineRange {
  /** 1-based, both included. */
  readonly line: number;
  readonly endLine: number;
}

const comparisons: Readonly<Record<string, string>> = {
  '<': '<=',
  '<=': '<',
  '>': '>=',
  '>=': '>',
  '==': '!=',
  '!=': '==',
  '===': '!==',
  '!==': '===',
};
const arithmetic: Readonly<Record<string, string>> = { '+': '-', '-': '+', '*': '+', '+=': '-=', '-=': '+=' };
const logic: Readonly<Record<string, string>> = { and: 'or', or: 'and', '&&': '||', '||': '&&' };
const truths: Readonly<Record<string, string>> = { true: 'false', false: 'true', True: 'False', False: 'True' };

const parseMs = 2_000;
const longestText = 400_000;

/** Kinds of nodes in whose text nothing is changed: what they hold is no behavior of the code. */
const leftAlone =
  /string|template|comment|regex|import|include|use_declaration|decorator|annotation|attribute_item|type_|generic|preproc|_type$/u;

/** All faults that begin in these lines and after which the file still parses. Null: the file does not parse. */
export async function faultsIn(
  grammar: GrammarName,
  text: string,
  range: LineRange,
): Promise<readonly PlantedFault[] | null> {
  if (text.length > longestText) return null;
  // The first grammar also starts the library.
  const language = await loadGrammar(grammar);
  const parser = new Parser();
  try {
    parser.setLanguage(language);
    const found = withRoot(parser, text, (root) => (root.hasError ? null : faultsBelow(root, text, range)));
    return (
      found?.filter((fault) => withRoot(parser, withFault(text, fault), (root) => !root.hasError) === true) ?? null
    );
  } finally {
    parser.delete();
  }
}

export function withFault(text: string, { start, end, text: instead }: PlantedFault): string {
  return text.slice(0, start) + instead + text.slice(end);
}

/** Null: it took too long. */
function withRoot<Value>(parser: Parser, text: string, use: (root: Node) => Value): Value | null {
  const until = performance.now() + parseMs;
  const tree = parser.parse(text, null, { progressCallback: () => performance.now() > until });
  if (tree === null) {
    parser.reset();
    return null;
  }
  try {
    return use(tree.rootNode);
  } finally {
    tree.delete();
  }
}

function faultsBelow(root: Node, text: string, { line, endLine }: LineRange): readonly PlantedFault[] {
  const faults: PlantedFault[] = [];
  const open: Node[] = [root];
  for (let node = open.pop(); node !== undefined; node = open.pop()) {
    const [first, last] = [node.startPosition.row + 1, node.endPosition.row + 1];
    if (last < line || first > endLine || leftAlone.test(node.type)) continue;
    if (first >= line) faults.push(...faultsOf(node, text));
    for (let at = node.childCount - 1; at >= 0; at -= 1) {
      const child = node.child(at);
      if (child !== null) open.push(child);
    }
  }
  return faults;
}

function faultsOf(node: Node, text: string): readonly PlantedFault[] {
  const made = (operator: FaultOperator, instead: string, of: Pick<Node, 'startIndex' | 'endIndex'> = node) => ({
    start: of.startIndex,
    end: of.endIndex,
    text: instead,
    line: node.startPosition.row + 1,
    operator,
  });
  if (node.childCount === 0) return leafFaults(node).map(({ operator, instead }) => made(operator, instead));
  const swapped = swappedArguments(node);
  if (swapped !== null) return [made('arguments', swapped.instead, swapped)];
  const guard = guardLines(node, text);
  if (guard !== null) return [made('guard', '', guard)];
  const inner = negated(node);
  return inner === null ? [] : [made('negation', inner)];
}

function leafFaults(node: Node): readonly { readonly operator: FaultOperator; readonly instead: string }[] {
  const parent = node.parent?.type ?? '';
  const { text } = node;
  if (!node.isNamed) {
    const isBinary = /binary|comparison|boolean|relational|equality|additive|assignment/u.test(parent);
    if (!isBinary) return truths[text] === undefined ? [] : [{ operator: 'truth value', instead: truths[text] }];
    // A plus between texts joins them, and a minus there is an error of its own kind.
    const joins = text.startsWith('+') && /["'`]/u.test(node.parent?.text ?? '');
    for (const [operator, table] of [
      ['comparison', comparisons],
      ['arithmetic', joins ? {} : arithmetic],
      ['logic', logic],
    ] as const) {
      const instead = (table as Readonly<Record<string, string>>)[text];
      if (instead !== undefined) return [{ operator, instead }];
    }
    return [];
  }
  if (truths[text] !== undefined) return [{ operator: 'truth value', instead: truths[text] }];
  const isNumber = /^(?:integer|number|int_literal|integer_literal|decimal_integer_literal|number_literal)$/u.test(
    node.type,
  );
  return isNumber && /^\d{1,4}$/u.test(text) ? [{ operator: 'number', instead: String(Number(text) + 1) }] : [];
}

/** The first two arguments of a call in the other order. */
function swappedArguments(node: Node): { startIndex: number; endIndex: number; instead: string } | null {
  if (!/^(?:argument_list|arguments)$/u.test(node.type)) return null;
  const given = node.namedChildren.filter((one) => one !== null);
  const [first, second] = given;
  if (first === undefined || second === undefined || given.length > 4) return null;
  if (
    first.text === second.text ||
    [first, second].some((one) => /keyword|spread|splat|comment|=|\n/u.test(`${one.type} ${one.text}`))
  )
    return null;
  const between = node.text.slice(first.endIndex - node.startIndex, second.startIndex - node.startIndex);
  return { startIndex: first.startIndex, endIndex: second.endIndex, instead: `${second.text}${between}${first.text}` };
}

/** The whole lines of an `if` without `else` that leaves early, where other statements stand beside it. */
function guardLines(node: Node, text: string): { startIndex: number; endIndex: number } | null {
  if (!/^(?:if_statement|if_expression|if)$/u.test(node.type) || node.childForFieldName('alternative') !== null)
    return null;
  if (node.endPosition.row - node.startPosition.row > 4) return null;
  if (!/\b(?:return|raise|throw|continue|break)\b/u.test(node.text)) return null;
  const outer =
    node.parent?.type.endsWith('statement') === true && node.parent?.startIndex === node.startIndex
      ? node.parent
      : node;
  if (outer === null || (outer.parent?.namedChildCount ?? 0) < 2) return null;
  const start = text.lastIndexOf('\n', outer.startIndex - 1) + 1;
  const next = text.indexOf('\n', outer.endIndex);
  const end = next === -1 ? text.length : next + 1;
  const isAlone = text.slice(start, outer.startIndex).trim() === '' && text.slice(outer.endIndex, end).trim() === '';
  return isAlone ? { startIndex: start, endIndex: end } : null;
}

/** `not x` or `!x`: what is negated. */
function negated(node: Node): string | null {
  if (!/^(?:not_operator|unary_expression|prefix_unary_expression|unary_op_expression|unary)$/u.test(node.type))
    return null;
  const found = /^(?:not\b|!)/u.exec(node.text);
  return found === null ? null : node.text.slice(found[0].length).trimStart();
}
