import { findSpans, textOfSpan, type Span } from './code-spans.ts';
import { withoutSelfShadows } from './self-shadow.ts';
import type { CodeLanguage, Syntax } from './code-syntax.ts';

export type SpliceResult =
  | { readonly ok: true; readonly text: string }
  /** Why the answer cannot be used, so that no test run is spent on it. */
  | { readonly ok: false; readonly reason: 'empty' | 'elided' | 'shrunk' | 'unparsed' | 'unchanged' };

/** The code of an answer: the content of its first fence, or all of it. */
export function codeOf(answer: string): string {
  const fence = /```[\w+-]*[ \t]*\n([\s\S]*?)(?:\n```|$)/.exec(answer);
  return (fence?.[1] ?? answer).replace(/\n?```\s*$/, '').trimEnd();
}

const elided =
  /^[ \t]*(#|\/\/|\/\*)\s*(\.\.\.|…|(the )?(rest|remaining|existing|same|other)\b.*\b(code|here|unchanged|before|logic|methods?|functions?))/im;

/**
 * Replaces a span by its rewritten version, with matching indentation, and adds the helpers and imports of the answer.
 */
export function spliceSpan(syntax: Syntax, fileText: string, span: Span, answer: string): SpliceResult {
  const code = codeOf(answer);
  const old = textOfSpan(fileText, span);
  if (code.trim() === '') return { ok: false, reason: 'empty' };
  if (elided.test(code) && !elided.test(old)) return { ok: false, reason: 'elided' };
  const parts = span.kind === 'block' ? constantOf(syntax, span, code) : partsOf(syntax, span, code, fileText);
  if (parts === null) return { ok: false, reason: 'unparsed' };
  if (span.kind !== 'block' && linesIn(old) >= 10 && linesIn(parts.main) * 5 < linesIn(old) * 2)
    return { ok: false, reason: 'shrunk' };
  const main = restoreHead(fileText, span, reindent(parts.main, span.indent));
  const helpers = parts.helpers === '' ? '' : `${parts.helpers}\n\n${span.language === 'python' ? '\n' : ''}`;
  const lines = fileText.split('\n');
  const spliced = [...lines.slice(0, span.startLine - 1), `${helpers}${main}`, ...lines.slice(span.endLine)].join('\n');
  return finishSplice(syntax, fileText, addImports(spliced, parts.imports, span.language), span.language);
}

/**
 * The constant in an answer, because a model that is asked for one often continues with the rest of the file. Null if
 * the answer defines something else.
 */
function constantOf(syntax: Syntax, span: Span, code: string): Parts | null {
  const main = syntax.withTree(span.language, code, (root) => {
    const [first] = root.namedChildren.filter((node) => node !== null && node.type !== 'comment');
    const isDefined = new RegExp(`\\b${span.shortName.replaceAll(/\W/g, '.')}\\b`).test(first?.text ?? '');
    // A block of statements is no place for a definition, which would never run there.
    if (/^line \d+$/.test(span.name))
      return /(?:function|class)_(?:definition|declaration)$/.test(first?.type ?? '') ? null : code;
    return isDefined ? code.slice(0, first?.endIndex) : null;
  });
  return main === null ? null : { imports: [], helpers: '', main };
}

/** Rejects a result that changes nothing or does not parse. */
export function finishSplice(syntax: Syntax, before: string, after: string, language: CodeLanguage): SpliceResult {
  if (after.replaceAll(/\s+/g, '') === before.replaceAll(/\s+/g, '') && sameLayout(before, after))
    return { ok: false, reason: 'unchanged' };
  if (syntax.errorLine(language, after) !== null && syntax.errorLine(language, before) === null)
    return { ok: false, reason: 'unparsed' };
  return { ok: true, text: withoutSelfShadows(syntax, language, after) };
}

/** In Python, indentation is part of the meaning. */
function sameLayout(before: string, after: string): boolean {
  const layout = (text: string) =>
    text
      .split('\n')
      .filter((line) => line.trim() !== '')
      .map((line) => /^\s*/.exec(line)?.[0].length)
      .join(',');
  return layout(before) === layout(after);
}

interface Parts {
  readonly imports: readonly string[];
  readonly helpers: string;
  readonly main: string;
}

/** Finds the span in the answer by its name. Other definitions of the answer that the file lacks are helpers. */
function partsOf(syntax: Syntax, span: Span, code: string, fileText: string): Parts | null {
  for (const variant of variantsOf(span, code)) {
    const spans = findSpans(syntax, { path: span.path, language: span.language, text: variant });
    const main = spans.findLast(
      (one) => one.shortName === span.shortName && (one.kind === 'class') === (span.kind === 'class'),
    );
    if (main === undefined) continue;
    const text = dedent(textOfSpan(variant, main));
    if (syntax.errorLine(span.language, wrapMethod(span, text)) !== null) continue;
    const imports = variant
      .split('\n')
      .slice(0, main.startLine - 1)
      .filter((line) => /^(import |from \S+ import |const .*require\()/.test(line));
    const known = (name: string) => new RegExp(`\\b${name.replace(/[^\w]/g, '.')}\\b`).test(fileText);
    const isUsed = (one: Span) => main.names.has(one.shortName) && isWhole(syntax, one, variant);
    const helpers = spans.filter(
      (one) =>
        one.kind === 'function' &&
        one.container === null &&
        (one.endLine < main.startLine || (one.startLine > main.endLine && isUsed(one))) &&
        !known(one.shortName),
    );
    return { imports, helpers: helpers.map((one) => textOfSpan(variant, one)).join('\n\n'), main: text };
  }
  return null;
}

/** False for the last definition of an answer that was cut off. */
function isWhole(syntax: Syntax, span: Span, code: string): boolean {
  return syntax.errorLine(span.language, dedent(textOfSpan(code, span))) === null;
}

/** Variants of an answer: as it is, without a last line that was cut off, and as a bare method. */
function variantsOf(span: Span, code: string): readonly string[] {
  const plain = dedent(code);
  const variants = [plain];
  if (span.language !== 'python' && span.kind === 'method')
    variants.push(`class Wrapped {\n${plain}\n}`, `const wrapped = {\n${plain}\n};`);
  return variants;
}

function wrapMethod(span: Span, text: string): string {
  if (span.language === 'python' || span.kind !== 'method') return text;
  return /^[\w#*\s[\]."']*\(/.test(text) && !/^(async )?function\b/.test(text)
    ? `class Wrapped {\n${text.replace(/,\s*$/, '')}\n}`
    : `(${text.replace(/^[\w]+:\s*/, '').replace(/,\s*$/, '')})`;
}

/**
 * Restores what the answer must keep of the head: `export`, decorators, the docstring, and the trailing comma of an
 * object's member.
 */
function restoreHead(fileText: string, span: Span, code: string): string {
  const old = textOfSpan(fileText, span);
  let text = code;
  const oldExport = /^\s*export (default )?/.exec(old)?.[0];
  if (oldExport !== undefined && !/^\s*export\b/.test(text)) text = `${oldExport}${text.trimStart()}`;
  if (oldExport === undefined && /^\s*export /.test(text)) text = text.replace(/^(\s*)export (default )?/, '$1');
  if (/,\s*$/.test(old) && !/,\s*$/.test(text)) text = `${text},`;
  const decorators = /^(?:\s*@.*\n)+/.exec(old)?.[0];
  if (decorators !== undefined && span.language === 'python' && !/^\s*@/.test(text)) text = `${decorators}${text}`;
  return text;
}

/** Adds imports below the existing ones, except those that exist already. */
export function addImports(text: string, imports: readonly string[], language: CodeLanguage): string {
  const missing = imports.filter(
    (line) => !text.split('\n').includes(line.trim()) && !text.includes(line.replace(/['"]/g, "'")),
  );
  if (missing.length === 0) return text;
  const lines = text.split('\n');
  let at = lines.findLastIndex((line, index) => index < 60 && /^(import |from \S+ import )/.test(line)) + 1;
  if (at === 0 && language === 'python') at = docstringLines(text);
  return [...lines.slice(0, at), ...missing, ...(at === 0 ? [''] : []), ...lines.slice(at)].join('\n');
}

function docstringLines(text: string): number {
  const doc = /^\s*("""[\s\S]*?"""|'''[\s\S]*?'''|"[^"\n]*")\n?/.exec(text)?.[0];
  return doc === undefined ? 0 : doc.split('\n').length - 1;
}

const linesIn = (text: string): number => text.split('\n').filter((line) => line.trim() !== '').length;

export function dedent(code: string): string {
  const lines = code.replace(/^\s*\n/, '').split('\n');
  const indents = lines.filter((line) => line.trim() !== '').map((line) => /^[ \t]*/.exec(line)?.[0].length ?? 0);
  const shared = indents.reduce((least, indent) => Math.min(least, indent), indents[0] ?? 0);
  return lines
    .map((line) => line.slice(Math.min(shared, /^[ \t]*/.exec(line)?.[0].length ?? 0)))
    .join('\n')
    .trimEnd();
}

/** Changes the indentation of code. Uses tabs if the target does. */
export function reindent(code: string, indent: string): string {
  const plain = indent.includes('\t')
    ? dedent(code).replaceAll(/^( {2,4})+/gm, (spaces) => '\t'.repeat(Math.ceil(spaces.length / 4)))
    : dedent(code);
  return plain
    .split('\n')
    .map((line) => (line.trim() === '' ? '' : `${indent}${line}`))
    .join('\n');
}
