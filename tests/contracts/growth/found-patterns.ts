import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { parseSync, Visitor } from 'oxc-parser';
import type { Argument, Expression, Node, Program } from 'oxc-parser';

/** A regular expression of the program, and how it is applied to a text. */
export interface FoundPattern {
  /** A path such as `src/shared/rules/parse-rules.ts`. */
  readonly file: string;
  readonly line: number;
  /** As the source has it: a literal, or the argument of `new RegExp`. */
  readonly written: string;
  readonly source: string;
  readonly flags: string;
  readonly use: PatternUse;
}

/** `once`: up to the first match · `all`: over the whole text · `each`: tried at every place (sticky). */
export type PatternUse = 'once' | 'all' | 'each';

interface Module {
  readonly path: string;
  readonly text: string;
  readonly program: Program;
  readonly values: ReadonlyMap<string, Expression>;
  readonly imports: ReadonlyMap<string, { readonly from: string; readonly name: string }>;
}

/** Replaces any part of a built expression that is known only at run time. */
const standIn = 'name';

/** Every regular expression in the sources below `root`: literals, and `new RegExp` with its parts put in. */
export function findPatterns(root: string): readonly FoundPattern[] {
  const modules = new Map<string, Module>();
  const files = readdirSync(join(root, 'src'), { recursive: true, encoding: 'utf8' })
    .filter((path) => /\.tsx?$/u.test(path))
    .map((path) => join(root, 'src', path))
    .sort();
  return files.flatMap((path) => patternsOf(readModule(path, modules), { root, modules }));
}

interface Sources {
  readonly root: string;
  readonly modules: Map<string, Module>;
}

function patternsOf(module: Module, sources: Sources): readonly FoundPattern[] {
  const found: FoundPattern[] = [];
  const splitters = new Set<string>();
  const splits = new Set<number>();
  const add = (node: Node, pattern: { readonly source: string; readonly flags: string }): void => {
    const { source, flags } = pattern;
    const file = module.path.slice(sources.root.length + 1).replaceAll('\\', '/');
    const line = module.text.slice(0, node.start).split('\n').length;
    const use = flags.includes('y') ? 'each' : flags.includes('g') || splits.has(node.start) ? 'all' : 'once';
    found.push({ file, line, written: module.text.slice(node.start, node.end), source, flags, use });
  };
  const built = (node: Node, callee: Expression, args: readonly Argument[]): void => {
    if (callee.type !== 'Identifier' || callee.name !== 'RegExp') return;
    const [source, flags] = args;
    add(node, { source: textOf(source, module, sources), flags: flags === undefined ? '' : flagsOf(flags) });
  };
  new Visitor({
    CallExpression: ({ callee, arguments: [first] }) => {
      if (callee.type !== 'MemberExpression' || callee.property.type !== 'Identifier') return;
      if (callee.property.name !== 'split' || first === undefined) return;
      if (first.type === 'Identifier') splitters.add(first.name);
      else splits.add(first.start);
    },
  }).visit(module.program);
  for (const name of splitters) splits.add(module.values.get(name)?.start ?? -1);
  new Visitor({
    Literal: (node) => {
      if ('regex' in node) add(node, { source: node.regex.pattern, flags: node.regex.flags });
    },
    NewExpression: (node) => built(node, node.callee, node.arguments),
    CallExpression: (node) => built(node, node.callee, node.arguments),
  }).visit(module.program);
  return found;
}

/** Conditional flags count as all of them together: `ignoreCase ? 'iu' : 'u'` is `iu`. */
function flagsOf(node: Argument): string {
  if (node.type === 'Literal' && typeof node.value === 'string') return node.value;
  if (node.type === 'ConditionalExpression') return flagsOf(node.consequent);
  return '';
}

/** The text of an expression, with `standIn` for parts that are not literal in the sources. */
function textOf(node: Argument | undefined, module: Module, sources: Sources): string {
  if (node === undefined) return standIn;
  if (node.type === 'Literal') return 'regex' in node ? node.regex.pattern : String(node.value);
  if (node.type === 'BinaryExpression' && node.operator === '+')
    return textOf(node.left, module, sources) + textOf(node.right, module, sources);
  if (node.type === 'TemplateLiteral') return filled(node, 'cooked', { module, sources });
  if (node.type === 'TaggedTemplateExpression') return filled(node.quasi, 'raw', { module, sources });
  if (node.type === 'MemberExpression' && node.property.type === 'Identifier' && node.property.name === 'source')
    return textOf(node.object, module, sources);
  if (node.type !== 'Identifier') return standIn;
  const value = module.values.get(node.name);
  if (value !== undefined) return textOf(value, module, sources);
  const imported = module.imports.get(node.name);
  if (imported === undefined) return standIn;
  const other = readModule(pathOf(imported.from, module.path, sources.root), sources.modules);
  const there = other.values.get(imported.name);
  return there === undefined ? standIn : textOf(there, other, sources);
}

function filled(
  node: Extract<Expression, { type: 'TemplateLiteral' }>,
  form: 'cooked' | 'raw',
  { module, sources }: { readonly module: Module; readonly sources: Sources },
): string {
  const parts = node.quasis.map(({ value }) => value[form] ?? '');
  return parts.map((part, at) => part + holeText(node.expressions[at], module, sources)).join('');
}

function holeText(node: Expression | undefined, module: Module, sources: Sources): string {
  return node === undefined ? '' : textOf(node, module, sources);
}

function readModule(path: string, modules: Map<string, Module>): Module {
  const known = modules.get(path);
  if (known !== undefined) return known;
  const text = readFileSync(path, 'utf8');
  const { program } = parseSync(path, text);
  const values = new Map<string, Expression>();
  const imports = new Map<string, { readonly from: string; readonly name: string }>();
  new Visitor({
    VariableDeclarator: ({ id, init }) => {
      if (id.type === 'Identifier' && init !== null && !values.has(id.name)) values.set(id.name, init);
    },
    ImportDeclaration: ({ source, specifiers }) => {
      for (const one of specifiers) {
        if (one.type === 'ImportSpecifier' && one.imported.type === 'Identifier')
          imports.set(one.local.name, { from: source.value, name: one.imported.name });
      }
    },
  }).visit(program);
  const module = { path, text, program, values, imports };
  modules.set(path, module);
  return module;
}

function pathOf(from: string, importer: string, root: string): string {
  if (from.startsWith('@shared/')) return join(root, 'src/shared', from.slice('@shared/'.length));
  return resolve(dirname(importer), from);
}
