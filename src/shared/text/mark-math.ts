/** Marks a code span as a formula. Printable text never contains this character. */
export const formulaMark = '\uE000';

/** The longest formula within a line, and the longest one in a block. */
const most = { inline: 300, block: 5000 } as const;
const longestIndent = 200;

/** How KaTeX draws a formula of a model: as MathML alone, with nothing that could load, run or lead anywhere. */
export const formulaOptions = {
  output: 'mathml',
  throwOnError: true,
  trust: false,
  strict: 'ignore',
  maxSize: 20,
} as const;

const mostExpansions = 300;
/** What a formula may grow to by macros of its own. Each expansion may repeat all of it. */
const mostExpanded = 50_000;

/**
 * The most macro expansions of a formula, so that it takes no seconds, and its cost: 1 and more, of which a second has
 * room for about 500. Null: it is too long to draw.
 */
export function formulaBounds(tex: string): { readonly maxExpand: number; readonly cost: number } | null {
  if (tex.length > most.block) return null;
  const hasOwnMacros = /\\(?:[gex]?def|(?:future)?let|(?:re|provide)?(?:new)?command|global|long)/u.test(tex);
  if (!hasOwnMacros) return { maxExpand: mostExpansions, cost: 1 + tex.length / 100 };
  return { maxExpand: Math.min(mostExpansions, Math.floor(mostExpanded / tex.length)), cost: 75 };
}

/**
 * A Markdown text with its formulas as code. `$…$` and `\(…\)` become spans that begin with the mark; `$$…$$` and
 * `\[…\]` on their own lines become blocks of the language `math`. Code and prices stay as they are.
 */
export function markMath(text: string): string {
  if (!/\$|\\[([]/u.test(text)) return text;
  const marks = /[`~$\\]/gu;
  const lines = lineStarts(text);
  const spans = codeSpans(text);
  const next = nextPlaces(text);
  let done = '';
  let at = 0;
  for (let mark = marks.exec(text); mark !== null; mark = marks.exec(text)) {
    const { index } = mark;
    const before = beforeOnLine(text, lines(index), index);
    const found = formulaAt(text, index, next);
    const end = found?.end ?? passedOver(text, index, before, spans);
    done += text.slice(at, index) + (found === null ? text.slice(index, end) : written(text, index, before, found));
    at = end;
    marks.lastIndex = end;
  }
  return done + text.slice(at);
}

/** The start of the line of a position. Ask in ascending order, so that all calls together read the text once. */
function lineStarts(text: string): (at: number) => number {
  let start = 0;
  let next = text.indexOf('\n');
  return (at) => {
    while (next >= 0 && next < at) {
      start = next + 1;
      next = text.indexOf('\n', start);
    }
    return start;
  };
}

/** The text before a position on its line; null when it is too long to be an indent. */
const beforeOnLine = (text: string, start: number, at: number): string | null =>
  at - start > longestIndent ? null : text.slice(start, at);

/**
 * The end of a code span whose opening run of `length` backticks ends at `from`: after the next equally long run in its
 * paragraph. Null when there is none. Ask in ascending order, too.
 */
function codeSpans(text: string): (length: number, from: number) => number | null {
  const endsByLength = new Map<number, number[]>();
  for (const { 0: run, index } of text.matchAll(/`+/gu)) {
    const ends = endsByLength.get(run.length);
    if (ends === undefined) endsByLength.set(run.length, [index + run.length]);
    else ends.push(index + run.length);
  }
  const passed = new Map<number, number>();
  let blank = text.indexOf('\n\n');
  return (length, from) => {
    const ends = endsByLength.get(length) ?? [];
    let at = passed.get(length) ?? 0;
    while (at < ends.length && (ends[at] ?? 0) <= from) at += 1;
    passed.set(length, at);
    while (blank >= 0 && blank < from) blank = text.indexOf('\n\n', blank + 1);
    const end = ends[at];
    return end === undefined || (blank >= 0 && end - length > blank) ? null : end;
  };
}

interface Formula {
  readonly tex: string;
  readonly end: number;
}

/**
 * The next position of a mark, or the end of the text. Ask in ascending order, so that each mark reads the text once.
 */
function nextPlaces(text: string): (mark: string | RegExp, from: number) => number {
  const known = new Map<string | RegExp, number>();
  return (mark, from) => {
    const last = known.get(mark);
    if (last !== undefined && last >= from) return last;
    const ahead = typeof mark === 'string' ? text.indexOf(mark, from) : from + text.slice(from).search(mark);
    const place = ahead < from ? text.length : ahead;
    known.set(mark, place);
    return place;
  };
}

type NextPlace = ReturnType<typeof nextPlaces>;

function formulaAt(text: string, at: number, next: NextPlace): Formula | null {
  if (text.startsWith('$$', at)) return between(text, at, '$$', next);
  if (text.startsWith('\\[', at)) return between(text, at, '\\]', next);
  if (text.startsWith('\\(', at)) return between(text, at, '\\)', next);
  return text[at] === '$' ? dollars(text, at) : null;
}

const blankLine = /\n[ \t]*\n/u;

/** The formula up to the end mark, within one paragraph. */
function between(text: string, at: number, end: string, next: NextPlace): Formula | null {
  const from = at + 2;
  const to = next(end, from);
  const longest = end === '\\)' ? most.inline : most.block;
  if (to === text.length || to === from || to + end.length > from + longest) return null;
  if (next('`', from) < to || next(blankLine, from) < to) return null;
  const tex = text.slice(from, to).trim();
  return tex === '' ? null : { tex, end: to + end.length };
}

/**
 * A formula between two dollars on one line, without blanks inside them. Amounts and shell variables are no formulas.
 */
function dollars(text: string, at: number): Formula | null {
  if (/[\w$\\]/u.test(text[at - 1] ?? ' ') || /[\s$]/u.test(text[at + 1] ?? ' ')) return null;
  const line = text.slice(at, at + most.inline);
  for (let close = line.indexOf('$', 2); close > 0; close = line.indexOf('$', close + 1)) {
    const end = at + close;
    // Most dollars that end no formula have a blank before them.
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

/** A block if the formula is on its own lines, otherwise a span. */
function written(text: string, at: number, before: string | null, { tex, end }: Formula): string {
  const isBlock = text.startsWith('$$', at) || text.startsWith('\\[', at);
  const isAlone = before?.trim() === '' && /^[ \t]*(?:\n|$)/u.test(text.slice(end, end + 20));
  if (!isBlock || !isAlone)
    return `\`${formulaMark}${tex
      .split('\n')
      .map((line) => line.trim())
      .join(' ')}\``;
  const lines = tex.split('\n').map((line) => before + line.trim());
  return ['```math', ...lines, `${before}\`\`\``].join('\n');
}

/** Where to continue after something that is no formula: after a code span, a fence or an escaped character. */
function passedOver(text: string, at: number, before: string | null, spans: ReturnType<typeof codeSpans>): number {
  if (text[at] === '\\') return at + 2;
  if (text[at] === '$') return at + (text[at + 1] === '$' ? 2 : 1);
  let behind = at;
  while (text[behind] === text[at]) behind += 1;
  const run = text.slice(at, behind);
  if (run.length >= 3 && before !== null && /^[ \t>*+\-\d.)]*$/u.test(before)) return endOfFence(text, behind, run);
  return run.startsWith('`') ? (spans(run.length, behind) ?? behind) : behind;
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
