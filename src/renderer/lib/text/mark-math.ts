/** Begins a code span that is a formula: no text that was made printable has this character. */
export const formulaMark = '\uE000';

/** A formula in a line of text is not longer, and one in a block neither. */
const most = { inline: 300, block: 5000 } as const;

/**
 * A Markdown text with its formulas as code: `$…$` and `\(…\)` as spans that begin with the mark, `$$…$$` and `\[…\]` on
 * lines of their own as blocks of the language `math`. Code stays as it is, and so do prices.
 */
export function markMath(text: string): string {
  if (!/\$|\\[([]/u.test(text)) return text;
  const marks = /[`~$\\]/gu;
  let done = '';
  let at = 0;
  for (let mark = marks.exec(text); mark !== null; mark = marks.exec(text)) {
    const { index } = mark;
    const found = formulaAt(text, index);
    const end = found?.end ?? passedOver(text, index);
    done += text.slice(at, index) + (found === null ? text.slice(index, end) : written(text, index, found));
    at = end;
    marks.lastIndex = end;
  }
  return done + text.slice(at);
}

interface Formula {
  readonly tex: string;
  readonly end: number;
}

function formulaAt(text: string, at: number): Formula | null {
  if (text.startsWith('$$', at)) return between(text, at, '$$', most.block);
  if (text.startsWith('\\[', at)) return between(text, at, '\\]', most.block);
  if (text.startsWith('\\(', at)) return between(text, at, '\\)', most.inline);
  return text[at] === '$' ? dollars(text, at) : null;
}

/** Up to the end mark, within one paragraph. */
function between(text: string, at: number, end: string, longest: number): Formula | null {
  const inner = text.slice(at + 2, at + 2 + longest);
  const length = inner.indexOf(end);
  if (length < 1) return null;
  const tex = inner.slice(0, length);
  if (tex.trim() === '' || /\n[ \t]*\n/u.test(tex) || tex.includes('`')) return null;
  return { tex: tex.trim(), end: at + 2 + length + end.length };
}

/** Between two dollars of a line that hug it; what may be an amount or a variable of a shell is none. */
function dollars(text: string, at: number): Formula | null {
  if (/[\w$\\]/u.test(text[at - 1] ?? ' ') || /[\s$]/u.test(text[at + 1] ?? ' ')) return null;
  const line = text.slice(at, at + most.inline);
  for (let close = line.indexOf('$', 2); close > 0; close = line.indexOf('$', close + 1)) {
    const end = at + close;
    // A blank before it is what most have that are none.
    if (text[end - 1] === ' ' || /[\s\\$]/u.test(text[end - 1] ?? '') || /[\w$]/u.test(text[end + 1] ?? '')) continue;
    const tex = text.slice(at + 1, end);
    return looksLikeMath(tex) && !/[`\n]/u.test(tex) ? { tex, end: end + 1 } : null;
  }
  return null;
}

function looksLikeMath(tex: string): boolean {
  if (/[\\^_={}<>]/u.test(tex)) return true;
  if (/^\d/u.test(tex)) return /^\d+[A-Za-z](?![A-Za-z])\S*$/u.test(tex);
  return /[A-Za-z]/u.test(tex) && !/[A-Za-z]{3,}/u.test(tex);
}

/** As a block where it stands on lines of its own, else as a span. */
function written(text: string, at: number, { tex, end }: Formula): string {
  const isBlock = text.startsWith('$$', at) || text.startsWith('\\[', at);
  const before = text.slice(text.lastIndexOf('\n', at - 1) + 1, at);
  const isAlone = before.trim() === '' && /^[ \t]*(?:\n|$)/u.test(text.slice(end, end + 20));
  if (!isBlock || !isAlone)
    return `\`${formulaMark}${tex
      .split('\n')
      .map((line) => line.trim())
      .join(' ')}\``;
  const lines = tex.split('\n').map((line) => before + line.trim());
  return ['```math', ...lines, `${before}\`\`\``].join('\n');
}

/** Where to look on after what is no formula: behind a code span, a fence, or what is escaped. */
function passedOver(text: string, at: number): number {
  if (text[at] === '\\') return at + 2;
  if (text[at] === '$') return at + (text[at + 1] === '$' ? 2 : 1);
  const [run = ''] = /^(?:`+|~+)/u.exec(text.slice(at, at + 200)) ?? [];
  const start = text.lastIndexOf('\n', at - 1) + 1;
  const behind = at + run.length;
  if (run.length >= 3 && /^[ \t>*+\-\d.)]*$/u.test(text.slice(start, at))) return endOfFence(text, behind, run);
  if (!run.startsWith('`')) return behind;
  const blank = text.indexOf('\n\n', behind);
  for (let close = text.indexOf(run, behind); close >= 0; close = text.indexOf(run, close)) {
    if (blank >= 0 && close > blank) break;
    let after = close;
    while (text[after] === '`') after += 1;
    if (after - close === run.length) return after;
    close = after;
  }
  return behind;
}

function endOfFence(text: string, from: number, run: string): number {
  let line = text.indexOf('\n', from);
  while (line >= 0) {
    const next = text.indexOf('\n', line + 1);
    const end = next < 0 ? text.length : next;
    if (
      text
        .slice(line + 1, end)
        .trim()
        .startsWith(run)
    )
      return end;
    line = next;
  }
  return text.length;
}
