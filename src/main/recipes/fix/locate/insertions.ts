import { withoutSelfShadows } from '../../code/self-shadow.ts';
import type { Span } from '../../code/code-spans.ts';
import { dedent, reindent } from '../../code/splice-code.ts';
import type { CodeLanguage, Syntax } from '../../code/code-syntax.ts';
import { findSpans } from '../../code/code-spans.ts';
import type { MissingName } from '../../facts/missing-names.ts';
import { relativeTo } from '../../../lib/test-output/test-report.ts';
import { findMissingMembers, isMissingMember } from './missing-members.ts';
import { parametersOf } from './missing-parameters.ts';
import type { SourceFile } from '../../facts/project-reader.ts';
import { codeOf, type SpliceResult } from '../../code/splice-code.ts';

/** A place for new code that does not exist yet. */
export interface Insertion {
  readonly name: string;
  readonly path: string;
  readonly language: CodeLanguage;
  /** The class that it belongs to; null: the end of the module. */
  readonly into: Span | null;
  /** The prefilled start of the answer. */
  readonly opening: string;
}

/** Where the missing names are asked for: the task and the failing tests. */
export interface MissingNames {
  readonly task: string;
  readonly names: ReadonlySet<string>;
  readonly text: string;
  readonly roots: readonly string[];
}

/** Where missing names could be written, the likeliest first. `files`: those nearest to the tests first. */
export function findInsertions(
  missing: readonly MissingName[],
  files: readonly SourceFile[],
  tests: MissingNames,
): readonly Insertion[] {
  return missing
    .filter((one) => one.kind === 'export' || one.kind === 'attribute' || one.kind === 'name')
    .flatMap((one) => insertionsFor(one, files, tests))
    .filter(
      (insertion, index, all) =>
        all.findIndex((one) => one.name === insertion.name && one.path === insertion.path) === index,
    );
}

function insertionsFor(missing: MissingName, files: readonly SourceFile[], tests: MissingNames): readonly Insertion[] {
  const classes = files.flatMap((file) =>
    file.spans.filter((span) => span.kind === 'class').map((span) => ({ file, span })),
  );
  const owner =
    classes.find((one) => one.span.shortName === missing.className) ??
    (missing.receiver === null
      ? undefined
      : classes.find(
          (one) => isMade(one.span.shortName, tests) && !files.some((file) => namespaceOf(missing, file, tests.text)),
        ));
  if (owner !== undefined && missing.kind === 'attribute') {
    // A class that declares its fields is rewritten to add one.
    const members = findMissingMembers([missing], usesIn(files, tests).text);
    return isMissingMember(owner.span, owner.file.spans, members)
      ? []
      : [atClass(missing, owner.file, owner.span, usesIn(files, tests))];
  }
  const module =
    missing.module === null ? undefined : files.find((file) => isModule(missing.module ?? '', file.path, tests.roots));
  const targets = module === undefined ? files.slice(0, 1) : [module];
  return targets.map((file) => atModule(missing, file, usesIn(files, tests)));
}

/** Whether the tests create objects of this class, possibly in a helper. */
const isMade = (name: string, tests: { readonly names: ReadonlySet<string>; readonly text: string }): boolean =>
  tests.names.has(name) || new RegExp(`\\bnew ${name}\\(`).test(tests.text);

/** With `import * as x` or `import x`, `x.name` is an export of the module. */
function namespaceOf(missing: MissingName, file: SourceFile, tests: string): boolean {
  const receiver = missing.receiver ?? '';
  const stem =
    file.path
      .split('/')
      .pop()
      ?.replace(/\.\w+$/, '') ?? '';
  return new RegExp(`(\\* as ${receiver}\\b|\\bimport ${receiver}\\b|${receiver} = require\\().{0,200}${stem}`).test(
    tests,
  );
}

function isModule(module: string, path: string, roots: readonly string[]): boolean {
  const relative = relativeTo(roots, module);
  if (relative === path) return true;
  const plain = module.replace(/^(\.\.?\/)+/, '');
  if (path === plain || path.endsWith(`/${plain}`)) return true;
  const dotted = `${module.replaceAll('.', '/')}.py`;
  return path === dotted || path.endsWith(`/${dotted}`) || path.endsWith(`${module.replaceAll('.', '/')}/__init__.py`);
}

/** All code that may call the missing name; tests alone say little about what other code needs. */
interface Uses {
  readonly task: string;
  readonly text: string;
}

const usesIn = (files: readonly SourceFile[], { task, text }: MissingNames): Uses => ({
  task,
  text: [text, ...files.map((file) => file.text)].join('\n'),
});

function atClass({ name }: MissingName, { path, language }: SourceFile, span: Span, uses: Uses): Insertion {
  const isAsync = new RegExp(`await [^\\n]{0,200}\\.${name}\\(`).test(uses.text);
  const isCalled = new RegExp(`\\.${name}\\(`).test(uses.text);
  const parameters = isCalled ? parametersOf(name, { task: uses.task, uses: uses.text, language }) : null;
  const ahead = isAsync ? 'async ' : '';
  const script = isCalled ? `${ahead}${name}(${scriptHead(parameters)}` : `get ${name}(`;
  const own = parameters?.filter((one) => one !== 'self') ?? null;
  const python = isCalled
    ? `${ahead}def ${name}(self${own === null ? '' : `${own.map((one) => `, ${one}`).join('')}):\n`}`
    : `@property\ndef ${name}(self):\n`;
  return { name, path, language, into: span, opening: language === 'python' ? python : script };
}

/** The rest of the head after the opening bracket; empty if the model should write it. */
const scriptHead = (parameters: readonly string[] | null): string =>
  parameters === null ? '' : `${parameters.join(', ')}) {\n`;

function atModule({ name }: MissingName, { path, language, text }: SourceFile, uses: Uses): Insertion {
  const isAsync = new RegExp(`await (\\w+\\.)?${name}\\(`).test(uses.text);
  const isRaised = new RegExp(`(raises|throws|rejects)\\([^\\n]{0,200}\\b${name}\\b`).test(uses.text);
  const isClass = /^[A-Z][a-z]/.test(name);
  const isCalled = new RegExp(`\\b${name}\\(`).test(uses.text) || isRaised;
  const parameters = isRaised || isClass ? null : parametersOf(name, { task: uses.task, uses: uses.text, language });
  const exported = /^export /m.test(text) ? 'export ' : '';
  const ahead = isAsync ? 'async ' : '';
  const python = isClass
    ? `class ${name}${isRaised ? '(' : ''}`
    : isCalled
      ? `${ahead}def ${name}(${parameters === null ? '' : `${parameters.join(', ')}):\n`}`
      : `${name} = `;
  const script = isClass
    ? `${exported}class ${name} `
    : isCalled
      ? `${exported}${ahead}function ${name}(${scriptHead(parameters)}`
      : `${exported}const ${name} = `;
  return { name, path, language, into: null, opening: language === 'python' ? python : script };
}

/** Writes the answer's definition at the end of its class or module, and adds it to CommonJS exports. */
export function spliceInsertion(syntax: Syntax, fileText: string, insertion: Insertion, answer: string): SpliceResult {
  const code = dedent(codeOf(answer));
  if (code.trim() === '') return { ok: false, reason: 'empty' };
  const text =
    insertion.into === null
      ? atEnd(syntax, fileText, insertion, code)
      : insideClass(syntax, fileText, { insertion, into: insertion.into }, code);
  if (
    text === null ||
    (syntax.errorLine(insertion.language, text) !== null && syntax.errorLine(insertion.language, fileText) === null)
  ) {
    return { ok: false, reason: 'unparsed' };
  }
  return { ok: true, text: withoutSelfShadows(syntax, insertion.language, text) };
}

function atEnd(syntax: Syntax, fileText: string, insertion: Insertion, code: string): string | null {
  const { language, name } = insertion;
  const spans = findSpans(syntax, { path: insertion.path, language, text: code });
  const existing = new Set(
    findSpans(syntax, { path: insertion.path, language, text: fileText }).map((span) => span.name),
  );
  const lines = code.split('\n');
  // The model repeats definitions that the file already has; these are not meant as changes.
  const repeated = spans.filter(
    (span) => span.container === null && existing.has(span.name) && span.shortName !== name,
  );
  const kept = lines.filter(
    (_, index) => !repeated.some((span) => index + 1 >= span.startLine && index + 1 <= span.endLine),
  );
  const imports = kept.filter((line) => /^(import |from \S+ import )/.test(line) && !fileText.includes(line));
  const body = kept
    .filter((line) => !/^(import |from \S+ import )/.test(line))
    .join('\n')
    .trim();
  if (body === '') return null;
  const gap = language === 'python' ? '\n\n\n' : '\n\n';
  const head = imports.length === 0 ? fileText : withImports(fileText, imports);
  const mainGuard = /(?<!\n)\n+if __name__ == ['"]__main__['"]:[\s\S]*$/.exec(head);
  const before = mainGuard === null ? head : head.slice(0, mainGuard.index);
  return completeExports(
    `${before.trimEnd()}${gap}${body}\n${mainGuard === null ? '' : `\n\n${mainGuard[0].trimStart()}`}`,
    name,
  );
}

function withImports(text: string, imports: readonly string[]): string {
  const lines = text.split('\n');
  const at = lines.findLastIndex((line, index) => index < 80 && /^(import |from \S+ import )/.test(line)) + 1;
  const start = at > 0 ? at : (/^("""[\s\S]*?"""\n|"[^"\n]*"\n)/.exec(text)?.[0].split('\n').length ?? 1) - 1;
  return [...lines.slice(0, start), ...imports, ...lines.slice(start)].join('\n');
}

/** `module.exports = { a, b }` must name the new function too. */
function completeExports(text: string, name: string): string {
  const list = /module\.exports\s*=\s*\{([^{}]*)\}/.exec(text);
  if (list !== null && !new RegExp(`\\b${name}\\b`).test(list[1] ?? '')) {
    const inner = (list[1] ?? '').trimEnd().replace(/,$/, '');
    const separator = inner.includes('\n') ? `,\n  ${name},\n` : `, ${name} `;
    return (
      text.slice(0, list.index) + `module.exports = {${inner}${separator}}` + text.slice(list.index + list[0].length)
    );
  }
  if (/^(module\.)?exports\.\w+ = /m.test(text) && !new RegExp(`exports\\.${name}\\b`).test(text))
    return `${text.trimEnd()}\nexports.${name} = ${name};\n`;
  return text;
}

function insideClass(
  syntax: Syntax,
  fileText: string,
  place: { readonly insertion: Insertion; readonly into: Span },
  code: string,
): string | null {
  const { insertion, into } = place;
  const { language } = insertion;
  const lines = fileText.split('\n');
  const wrapped = code.startsWith('class ') ? code : language === 'python' ? code : `class Wrapped {\n${code}\n}`;
  const spans = findSpans(syntax, { path: insertion.path, language, text: wrapped });
  const found = spans.findLast((span) => span.shortName === insertion.name);
  if (found === undefined) return null;
  const text = dedent(
    wrapped
      .split('\n')
      .slice(found.startLine - 1, found.endLine)
      .join('\n'),
  );
  const sample = lines
    .slice(into.startLine, into.endLine)
    .find((line) => line.trim() !== '' && !/^\s*(#|\/\/|\/\*|\*)/.test(line));
  const indent = /^\s*/.exec(sample ?? '')?.[0] ?? `${into.indent}${language === 'python' ? '    ' : '  '}`;
  const at = language === 'python' ? into.endLine : into.endLine - 1;
  return [...lines.slice(0, at), '', reindent(text, indent), ...lines.slice(at)].join('\n');
}
