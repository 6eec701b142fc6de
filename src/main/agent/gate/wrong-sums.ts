/** An equation of an answer that does not hold, as it was written, with what its left side really is. */
export interface WrongSum {
  readonly expression: string;
  readonly claimed: string;
  readonly value: number;
}

/** More would be a page of warnings. */
const most = 3;
const longestAnswer = 20_000;
const longestLine = 500;
const signs: Readonly<Record<string, string>> = { '−': '-', '–': '-', '×': '*', '·': '*', '÷': '/' };

/**
 * Equations in plain numbers that do not hold, such as "2 + 2 = 5". Whatever is not surely plain arithmetic counts as
 * right: code, names, units, percents, and numbers that could be read in two ways. So does a rounded result.
 */
export function wrongSums(answer: string): readonly WrongSum[] {
  const found: WrongSum[] = [];
  for (const line of linesOutsideCode(answer.slice(0, longestAnswer))) {
    const parts = line.split('=');
    for (const [at, right] of parts.entries()) {
      const wrong = at === 0 ? null : wrongSumOf(parts[at - 1] ?? '', right);
      if (wrong !== null) found.push(wrong);
    }
  }
  return found.slice(0, most);
}

function linesOutsideCode(answer: string): readonly string[] {
  let isCode = false;
  const lines: string[] = [];
  for (const line of answer.split('\n')) {
    if (/^\s*(?:```|~~~)/u.test(line)) isCode = !isCode;
    else if (!isCode && line.length <= longestLine && !/[=<>!]=/u.test(line)) lines.push(plainLine(line));
  }
  return lines;
}

/** Without the marks of Markdown. Inline code becomes a letter, which ends an equation. */
function plainLine(line: string): string {
  return line
    .replaceAll(/`[^`]*`/gu, 'x')
    .replaceAll('**', '')
    .replace(/^\s*(?:[-*+]|\d+[.)])\s+/u, '')
    .replaceAll(/[−–×·÷]/gu, (sign) => signs[sign] ?? sign);
}

function wrongSumOf(left: string, right: string): WrongSum | null {
  const expression = expressionAtEnd(left);
  const [written, claimed = ''] = /^\s*[$€£]?(-?\d+(?:[.,]\d+)*)\s?[€£]?/u.exec(right) ?? [];
  if (expression === null || written === undefined) return null;
  const value = valueOf(expression);
  const size = numberOf(claimed.replace('-', ''));
  if (value === null || size === null) return null;
  const result = claimed.startsWith('-') ? -size : size;
  const rest = right.slice(written.length);
  // A word after the number may be another unit: 30 + 30 = 1 hour.
  const isNear = result !== 0 && value / result > 0.5 && value / result < 2;
  const isAlone = /^\s*(?:$|[.,;:!)](?:\s|$))/u.test(rest) || (isNear && /^\s*\p{L}/u.test(rest));
  return !isAlone || holds(expression, value, { result, claimed }) ? null : { expression, claimed, value };
}

/** A division is often rounded, and so are decimals. The rest is exact. */
function holds(
  expression: string,
  value: number,
  said: { readonly result: number; readonly claimed: string },
): boolean {
  const decimals = said.claimed.split('.')[1]?.length ?? 0;
  const isRounded = /[/.]/u.test(expression);
  return Math.abs(value - said.result) < (isRounded ? 10 ** -decimals : 0.5 * 10 ** -decimals);
}

/** The arithmetic that a text ends with. Null: there is none, or a name or a sign touches it. */
function expressionAtEnd(text: string): string | null {
  let at = text.length;
  while (at > 0 && /[\d\s.,+\-*/()$€£]/u.test(text.charAt(at - 1))) at -= 1;
  const isTouched = at > 0 && !/[\s:]/u.test(text.charAt(at)) && text.charAt(at - 1) !== ':';
  const expression = text.slice(at).replaceAll(/[$€£]/gu, '').trim();
  return isTouched || !/\d\s*[-+*/]\s*[(\d]/u.test(expression) ? null : expression;
}

/** Null: the number could be read in two ways, as "1.200" can. */
function numberOf(text: string): number | null {
  const isGrouped = /^\d{1,3}(?:,\d{3})+(?:\.\d{1,2})?$/u.test(text);
  const isPlain = /^(?:0\.\d+|\d+(?:\.(?:\d{1,2}|\d{4,}))?)$/u.test(text);
  return isGrouped || isPlain ? Number(text.replaceAll(',', '')) : null;
}

const deepest = 20;

/** Null: it is not plain arithmetic. */
function valueOf(expression: string): number | null {
  const tokens = expression.match(/\d+(?:[.,]\d+)*|\S/gu) ?? [];
  let at = 0;
  const atom = (depth: number): number | null => {
    const token = tokens[at] ?? '';
    at += 1;
    if (token !== '(') return numberOf(token);
    const inner = depth < deepest ? sum(depth + 1) : null;
    const isClosed = tokens[at] === ')';
    at += 1;
    return isClosed ? inner : null;
  };
  const product = (depth: number): number | null => {
    let value = atom(depth);
    while (value !== null && (tokens[at] === '*' || tokens[at] === '/')) {
      const isDivision = tokens[at] === '/';
      at += 1;
      const next = atom(depth);
      value = next === null || (isDivision && next === 0) ? null : isDivision ? value / next : value * next;
    }
    return value;
  };
  function sum(depth: number): number | null {
    let value = product(depth);
    while (value !== null && (tokens[at] === '+' || tokens[at] === '-')) {
      const isMinus = tokens[at] === '-';
      at += 1;
      const next = product(depth);
      value = next === null ? null : isMinus ? value - next : value + next;
    }
    return value;
  }
  const value = sum(0);
  return at === tokens.length ? value : null;
}
