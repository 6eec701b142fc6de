import type { Span } from '../code/code-spans.ts';
import { childrenOf } from '../code/code-spans.ts';
import { stemOf, type CodeLanguage, type Syntax } from '../code/code-syntax.ts';
import type { Question, RecipeContext } from '../define.ts';
import { fenceName, showFile } from '../code/show-code.ts';
import { codeOf } from '../code/splice-code.ts';
import { shellQuote } from '../../lib/programs/shell-quote.ts';

/** Where new tests go, how they import what they test, and how they are run. */
export interface TestPlan {
  readonly path: string;
  /** The lines before the tests. */
  readonly head: string;
  readonly command: string;
  /** The prefilled start of every test. */
  readonly opening: string;
  readonly framework: string;
}

/** Follows the existing tests, otherwise the convention of the language. */
export async function planTests(context: RecipeContext, target: Span): Promise<TestPlan> {
  return target.language === 'python' ? planPython(context, target) : planScript(context, target);
}

async function planPython(context: RecipeContext, target: Span): Promise<TestPlan> {
  const stem = stemOf(target.path);
  const path = await freePath(context, folderOf(context, /\.py$/, 'tests'), (more) => `test_${stem}${more}.py`, target);
  const dotted = target.path.replace(/\.py$/, '').replaceAll('/', '.');
  const folder = target.path.split('/').slice(0, -1).join('/');
  const ups = path.split('/').length - 1;
  const atFolder = `import sys\nfrom pathlib import Path\n\nsys.path.insert(0, str(Path(__file__).resolve().parents[${ups}] / "${folder}"))\n\nfrom ${stem} import ${importedName(target)}`;
  // A module that imports its neighbors by bare names can only be imported from its own folder.
  const works = await context.world.run({
    command: `python3 -c ${shellQuote(`from ${dotted} import ${importedName(target)}`)}`,
    label: `import ${dotted}`,
    timeoutMs: 20_000,
  });
  const isPlain = folder === '' || works.exitCode === 0;
  const head = isPlain ? `from ${dotted} import ${importedName(target)}` : atFolder;
  const command = `python3 -m pytest -q ${shellQuote(path)}`;
  return { path, head, command, opening: `def test_${target.shortName.toLowerCase()}_`, framework: 'pytest' };
}

async function planScript(context: RecipeContext, target: Span): Promise<TestPlan> {
  const existing = context.facts.testFiles.find((file) => /\.[cm]?[jt]sx?$/.test(file));
  const kind = /[._-](test|spec)\.[cm]?[jt]sx?$/.exec(existing ?? '')?.[1] ?? 'test';
  const [extension] = /\.[cm]?[jt]s$/.exec(target.path) ?? ['.js'];
  const folder = folderOf(context, /\.[cm]?[jt]sx?$/, 'test');
  const path = await freePath(context, folder, (more) => `${stemOf(target.path)}${more}.${kind}${extension}`, target);
  const source = (await context.world.read(target.path)) ?? '';
  const packages = (await context.world.read('package.json')) ?? '';
  const isModule = /^[ \t]*(?:export|import)\b/m.test(source);
  const from = `${'../'.repeat(path.split('/').length - 1) || './'}${target.path}`;
  const name = importedName(target);
  const reach = isModule ? `import { ${name} } from '${from}';` : `const { ${name} } = require('${from}');`;
  const runner = /"vitest"\s*:/.test(packages) ? 'vitest' : /"jest"\s*:/.test(packages) ? 'jest' : 'node:test';
  const opening = `test('${target.name} `;
  if (runner === 'jest')
    return { path, head: reach, command: `npx jest ${shellQuote(path)}`, opening, framework: 'Jest' };
  if (runner === 'vitest') {
    const head = `import { expect, test } from 'vitest';\n${reach}`;
    return { path, head, command: `npx vitest run ${shellQuote(path)}`, opening, framework: 'Vitest' };
  }
  const head = isModule
    ? `import assert from 'node:assert/strict';\nimport { test } from 'node:test';\n${reach}`
    : `const assert = require('node:assert/strict');\nconst { test } = require('node:test');\n${reach}`;
  return { path, head, command: `node --test ${shellQuote(path)}`, opening, framework: 'node:test and node:assert' };
}

/** The imported name: a method is tested through its class. */
const importedName = (target: Span): string => target.container ?? target.shortName;

function folderOf({ facts }: RecipeContext, files: RegExp, usual: string): string {
  const existing = facts.testFiles.find((file) => files.test(file));
  return existing === undefined ? `${usual}/` : existing.slice(0, existing.lastIndexOf('/') + 1);
}

/** An existing test file belongs to the user, so new tests go into a file beside it. */
async function freePath(
  { world }: RecipeContext,
  folder: string,
  name: (more: string) => string,
  target: Span,
): Promise<string> {
  for (const more of ['', `_${target.shortName.toLowerCase()}`]) {
    const path = `${folder}${name(more)}`;
    if ((await world.read(path)) === null) return path;
  }
  return `${folder}${name(`_${target.shortName.toLowerCase()}_more`)}`;
}

export function testsQuestion(
  task: string,
  about: { readonly target: Span; readonly text: string; readonly plan: TestPlan; readonly temperature: number },
): Question {
  const { target, text, plan, temperature } = about;
  const fence = fenceName[target.language];
  const shown = showFile(text, [], [target], 700);
  const user = `File ${target.path}:\n\`\`\`${fence}\n${shown}\n\`\`\`\n\n${task}\n\nWrite ${plan.path}: three to five short tests of ${target.name} with ${plan.framework}, each with its own name and simple values. Write only the file, in one code block.`;
  return {
    purpose: 'propose',
    label: `write ${plan.path} (${temperature === 0 ? 'greedy' : `temperature ${temperature}`})`,
    system: 'You are an expert programmer who writes short, exact tests.',
    user,
    prefill: `\`\`\`${fence}\n${plan.head}\n\n\n${plan.opening}`,
    output: { type: 'text' },
    stop: ['\n```'],
    temperature,
    topP: 0.95,
    seed: temperature === 0 ? null : 1,
    maxOutputTokens: 500,
  };
}

/** One test of a file: its name in a report, and its lines. */
export interface WrittenTest {
  readonly name: string;
  readonly from: number;
  readonly to: number;
}

/** The file in an answer, cut after its last whole test; null if there is none. */
export function testsIn(
  syntax: Syntax,
  language: CodeLanguage,
  answer: string,
): { readonly text: string; readonly tests: readonly WrittenTest[] } | null {
  const code = codeOf(answer);
  for (let end = code.length; end > 0; end = code.lastIndexOf('\n', end - 1)) {
    const text = `${code.slice(0, end).trimEnd()}\n`;
    if (syntax.errorLine(language, text) !== null) continue;
    const tests = syntax.withTree(language, text, (root) =>
      childrenOf(root).some(isEmptyFunction) ? null : childrenOf(root).flatMap(testOf),
    );
    if (tests === null) continue;
    return tests.length === 0 ? null : { text, tests };
  }
  return null;
}

/** Whether a function has no body: a function cut off after its first line still parses. */
function isEmptyFunction(node: Parameters<typeof childrenOf>[0]): boolean {
  return node.type === 'function_definition' && (node.childForFieldName('body')?.namedChildCount ?? 0) === 0;
}

function testOf(node: Parameters<typeof childrenOf>[0]): WrittenTest[] {
  const place = { from: node.startIndex, to: node.endIndex };
  const defined = node.type === 'function_definition' ? node.childForFieldName('name')?.text : undefined;
  if (defined !== undefined) return defined.startsWith('test') ? [{ name: defined, ...place }] : [];
  const [, name] = /^(?:test|it)\(\s*['"`](.*?)['"`]\s*,/.exec(node.text) ?? [];
  return node.type === 'expression_statement' && name !== undefined ? [{ name, ...place }] : [];
}

/** The file without some of its tests. */
export function withoutTests(text: string, tests: readonly WrittenTest[]): string {
  let left = text;
  for (const { from, to } of [...tests].sort((one, other) => other.from - one.from)) {
    left = `${left.slice(0, from).trimEnd()}\n\n\n${left.slice(to).trimStart()}`;
  }
  return `${left.trim()}\n`;
}
