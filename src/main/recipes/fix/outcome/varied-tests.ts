import variedScript from '../../../../../resources/programs/recipes/varied-tests.mjs?raw';
import variedPython from '../../../../../resources/programs/recipes/varied-tests.py?raw';
import { shellQuote } from '../../../lib/programs/shell-quote.ts';
import { languageOf, walk, type Syntax, type SyntaxNode } from '../../code/code-syntax.ts';
import type { FileText } from '../../trial/candidate-change.ts';

/** A program that shows what code does where the tests say nothing: it repeats their calls with other values. */
export interface VariedTests {
  /** Files to put into the copy beside a candidate. The program fills the empty ones itself. */
  readonly files: readonly FileText[];
  readonly command: string;
}

/** What was seen at each place (a variant of a test): a digest, with `!` before it if it ended in an error. */
export type ResultsByPlace = ReadonlyMap<string, string>;

const mostEdits = 60;

/** Tests that use these are not varied, because another path or command could do harm. */
const touchesWorld =
  /\b(?:rm|rmSync|rmtree|rmdir|rmdirSync|unlink|unlinkSync|remove|subprocess|system|child_process)\b/;

/** Null if there is no such program for the test framework, or the tests do more than compute values. */
export function variedTests(syntax: Syntax, files: readonly FileText[]): VariedTests | null {
  if (files.some((file) => touchesWorld.test(file.text))) return null;
  const paths = files.map((file) => shellQuote(file.path)).join(' ');
  if (files.length > 0 && files.every(({ path }) => languageOf(path) === 'python')) {
    const path = '.dewpoint-varied.py';
    return { files: [{ path, text: variedPython }], command: `python3 ${path} ${paths}` };
  }
  const isScript = (file: FileText) =>
    languageOf(file.path) === 'javascript' && /(?:from |require\()['"]node:test['"]/.test(file.text);
  if (files.length === 0 || !files.every(isScript)) return null;
  const made = files.map((file) => ({
    path: file.path,
    scratch: file.path.replace(/(?<![^/])[^/]*(\.\w+)$/, '.dewpoint-varied-tests$1'),
    edits: scriptEdits(syntax, file.text),
  }));
  const path = '.dewpoint-varied.mjs';
  const program = { path, text: `const FILES = ${JSON.stringify(made)};\n${variedScript}` };
  const scratches = [...new Set(made.map((one) => one.scratch))].map((one): FileText => ({ path: one, text: '' }));
  return { files: [program, ...scratches], command: `node ${path}` };
}

export function readResults(output: string): ResultsByPlace {
  return new Map([...output.matchAll(/^@@seen (.+ \d+ \d+) (!?\w+)$/gm)].map((one) => [one[1] ?? '', one[2] ?? '']));
}

interface Edit {
  readonly from: number;
  readonly to: number;
  readonly text: string;
}

/** Varies every literal once before any literal is varied a second time. */
function scriptEdits(syntax: Syntax, text: string): readonly Edit[] {
  const places = syntax.withTree('javascript', text, (root) =>
    [...walk(root)].flatMap((node) => {
      const ways = isExpected(node) ? [] : waysOf(node);
      return ways.length === 0
        ? []
        : [ways.map((way): Edit => ({ from: node.startIndex, to: node.endIndex, text: way }))];
    }),
  );
  const rounds = Math.max(0, ...places.map((ways) => ways.length));
  const inTurn = Array.from({ length: rounds }, (_, turn) => places.flatMap((ways) => ways[turn] ?? []));
  return inTurn.flat().slice(0, mostEdits);
}

function waysOf(node: SyntaxNode): readonly string[] {
  const { text, type } = node;
  if (type === 'number')
    return [`(${text} + 1)`, `(${text} - 1)`, '0', `-${text}`, `${text}0`].filter((one) => one !== text);
  const isText = type === 'string' || (type === 'template_string' && node.namedChildCount === 1);
  if (isText && text.length > 2) {
    const quote = text.slice(0, 1);
    const inner = text.slice(1, -1);
    if (inner.includes('\\')) return ["''"];
    const made = [`${inner}${inner.slice(-1)}`, ` ${inner}`, '', inner.slice(0, -1), swapped(inner), `é${inner}`];
    return [...new Set(made)].filter((one) => one !== inner).map((one) => `${quote}${one}${quote}`);
  }
  if (type === 'array' && node.namedChildCount > 0)
    return [`${text}.slice(0, -1)`, `${text}.reverse()`, `[...${text}, ...${text}]`, '[]'];
  return [];
}

const swapped = (text: string): string => (text === text.toLowerCase() ? text.toUpperCase() : text.toLowerCase());

/** Whether a literal says nothing about the input of the code: the expected value, the name of a test, an import. */
function isExpected(node: SyntaxNode): boolean {
  for (let child = node, up = node.parent; up !== null; child = up, up = up.parent) {
    if (/^(import|export)_statement$/.test(up.type)) return true;
    if (up.type !== 'arguments') continue;
    const callee = up.parent?.childForFieldName('function')?.text ?? '';
    const at = up.namedChildren.findIndex((one) => one?.id === child.id);
    if (/^assert\b/.test(callee) && at > 0) return true;
    if (/^(test|it|describe|suite)\b/.test(callee) && at === 0) return true;
  }
  return false;
}
