import type { Span } from './code-spans.ts';
import type { CodeLanguage } from './code-syntax.ts';

/** The approximate number of tokens in a text, on the safe side for code. */
export const roughTokens = (text: string): number => Math.ceil(text.length / 3.3);

export const fenceName: Readonly<Record<CodeLanguage, string>> = {
  python: 'python',
  javascript: 'javascript',
  typescript: 'typescript',
  tsx: 'tsx',
};

/** A comment that marks left-out code. */
export function leftOut(language: CodeLanguage, indent: string): string {
  return `${indent}${language === 'python' ? '# ...' : '// ...'}`;
}

/**
 * A file in which the bodies of all spans except the wanted ones are left out, so that it fits `maxTokens`. The whole
 * text if it fits anyway. Classes keep their heads.
 */
export function showFile(text: string, spans: readonly Span[], wanted: readonly Span[], maxTokens: number): string {
  if (roughTokens(text) <= maxTokens) return text.trimEnd();
  const lines = text.split('\n');
  const keep = new Set(wanted.map((span) => span.id));
  const hidden = new Set<number>();
  const marks = new Map<number, string>();
  const hide = (span: Span, from: number) => {
    if (span.endLine - from < 1) return;
    for (let line = from; line <= span.endLine; line += 1) hidden.add(line);
    marks.set(from, leftOut(span.language, `${span.indent}${span.language === 'python' ? '    ' : '  '}`));
  };
  for (const span of spans) {
    if (keep.has(span.id) || span.kind === 'class') continue;
    if (wanted.some((one) => one.startLine >= span.startLine && one.endLine <= span.endLine)) continue;
    if (span.kind === 'block') hide(span, span.startLine + 3);
    else hide(span, span.headEndLine + 1);
  }
  const shown: string[] = [];
  for (const [index, line] of lines.entries()) {
    const mark = marks.get(index + 1);
    if (mark !== undefined) shown.push(mark);
    if (!hidden.has(index + 1)) shown.push(line);
  }
  return clip(
    shown,
    wanted.map((span) => lines[span.startLine - 1] ?? ''),
    maxTokens,
  );
}

/** Keeps the lines nearest to the wanted ones if even the outline is too long. */
function clip(lines: readonly string[], anchors: readonly string[], maxTokens: number): string {
  const text = lines.join('\n').trimEnd();
  if (roughTokens(text) <= maxTokens) return text;
  const chosen = new Set<number>();
  const starts = anchors.map((anchor) => lines.indexOf(anchor)).filter((at) => at >= 0);
  let size = 0;
  for (let distance = 0; distance < lines.length && size < maxTokens; distance += 1) {
    for (const at of starts.flatMap((start) => [start + distance, start - Math.floor(distance / 3)])) {
      const line = lines[at];
      if (line === undefined || chosen.has(at)) continue;
      chosen.add(at);
      size += roughTokens(`${line}\n`);
      if (size >= maxTokens) break;
    }
    if (starts.length === 0) break;
  }
  return [...chosen]
    .sort((left, right) => left - right)
    .map((at) => lines[at] ?? '')
    .join('\n')
    .trimEnd();
}

/** A file without the body of one span; its signature and comment are kept. */
export function showWithoutBody(text: string, span: Span): string {
  const lines = text.split('\n');
  const indent = `${span.indent}${span.language === 'python' ? '    ' : '  '}`;
  const todo = span.language === 'python' ? `${indent}# TODO: write this` : `${indent}// TODO: write this`;
  const closing =
    span.language === 'python' || span.endLine === span.headEndLine ? [] : [lines[span.endLine - 1] ?? ''];
  return [...lines.slice(0, span.headEndLine), todo, ...closing, ...lines.slice(span.endLine)].join('\n').trimEnd();
}
