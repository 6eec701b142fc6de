/** A number without rounding: `units` with the last `decimals` digits behind the point. */
export interface Exact {
  readonly units: bigint;
  readonly decimals: number;
}

type Mark = '.' | ',';

/** One cell of a table, read without knowledge of the others. */
export type Cell =
  | { readonly type: 'empty' }
  | { readonly type: 'text' }
  /** `proves`: the mark before decimals in this table, if this number shows it. */
  | {
      readonly type: 'number';
      readonly value: Exact;
      readonly unit: string;
      readonly proves: Mark | null;
      readonly isWhole: boolean;
    }
  /** Three digits after the only mark: "1.234" is one number in Boston and another in Berlin. */
  | {
      readonly type: 'either';
      readonly mark: Mark;
      readonly grouped: Exact;
      readonly decimal: Exact;
      readonly unit: string;
      readonly written: string;
    };

const longestCell = 60;
const empties: ReadonlySet<string> = new Set(['', '-', '–', '—', 'n/a', 'na', 'null', 'none', 'k.a.', '…', '...', '?']);
const currencies =
  'EUR|USD|GBP|CHF|JPY|CNY|RMB|INR|SEK|NOK|DKK|PLN|CZK|HUF|RON|RUB|TRY|BRL|AUD|CAD|NZD|MXN|ZAR|KRW|SGD|HKD|US\\$|R\\$|A\\$|C\\$|Fr\\.|Rs\\.?|kr';
const before = new RegExp(String.raw`^(?:${currencies}|\p{Sc})\s?`, 'u');
const after = /\s?(?:%|‰|°\p{L}?|\p{Sc}|[\p{L}][\p{L}./²³]{0,9})$/u;

/** "3 Mar" is a day. Asked for only where a word follows a number. */
let months: ReadonlySet<string> | null = null;

function isMonth(word: string): boolean {
  months ??= new Set('en de fr es it pt nl sv da nb fi pl cs tr ru uk el id'.split(' ').flatMap(monthsIn));
  return months.has(plainWord(word));
}

function monthsIn(language: string): readonly string[] {
  return (['long', 'short'] as const).flatMap((month) => {
    const format = new Intl.DateTimeFormat(language, { day: 'numeric', month, timeZone: 'UTC' });
    return Array.from({ length: 12 }, (_, at) => {
      const parts = format.formatToParts(Date.UTC(2026, at, 15));
      return plainWord(parts.find(({ type }) => type === 'month')?.value ?? '');
    });
  });
}

const plainWord = (word: string): string => word.trim().toLowerCase().replace(/\.$/u, '');

/** Dates, ranges, identifiers and whatever else is not surely one number are text. */
export function readCell(text: string): Cell {
  const written = text.trim().slice(0, longestCell).replaceAll('**', '').replaceAll('`', '').trim();
  if (empties.has(written.toLowerCase())) return { type: 'empty' };
  const plain = written
    .replaceAll(/[−–]/gu, '-')
    .replaceAll(/[\u00a0\u202f\u2009]/gu, ' ')
    .replaceAll('’', "'");
  const inside = /^\(([^()]+)\)$/u.exec(plain)?.[1];
  const signs = { isNegative: inside !== undefined };
  const takeSign = (rest: string): string => {
    const sign = /^[+-]\s?/u.exec(rest)?.[0] ?? '';
    if (sign.startsWith('-')) signs.isNegative = true;
    return rest.slice(sign.length);
  };
  let rest = takeSign(inside ?? plain);
  const first = before.exec(rest)?.[0] ?? '';
  rest = rest.slice(first.length);
  if (first !== '' && rest.length + first.length === (inside ?? plain).length) rest = takeSign(rest);
  const last = after.exec(rest)?.[0] ?? '';
  rest = rest.slice(0, rest.length - last.length);
  if (/\p{L}/u.test(last) && isMonth(last)) return { type: 'text' };
  return numberOf(rest, { unit: `${first}${last}`.trim(), isNegative: signs.isNegative, written });
}

interface Around {
  readonly unit: string;
  readonly isNegative: boolean;
  readonly written: string;
}

function numberOf(body: string, { unit, isNegative, written }: Around): Cell {
  const exact = (digits: string, decimals: number): Exact => ({
    units: isNegative ? -BigInt(digits) : BigInt(digits),
    decimals,
  });
  const number = (whole: string, part: string, proves: Mark | null): Cell => ({
    type: 'number',
    value: exact(`${whole}${part}`, part.length),
    unit,
    proves,
    isWhole: part === '',
  });
  const [, marked = null, tail = ''] = /^(\d{1,3}(?:[ '_]\d{3})+)([.,]\d+)?$/u.exec(body) ?? [];
  if (marked !== null) return number(marked.replaceAll(/\D/gu, ''), tail.slice(1), markOf(tail));
  if (/^(?:0|[1-9]\d*)$/u.test(body)) return number(body, '', null);
  const groups =
    /^([1-9]\d{0,2}(?:\.\d{3})+)(?:(,)(\d+))?$/u.exec(body) ?? /^([1-9]\d{0,2}(?:,\d{3})+)(?:(\.)(\d+))?$/u.exec(body);
  const single = /^(0|[1-9]\d*)([.,])(\d{3})$/u.exec(body);
  if (single !== null && single[1] !== '0' && (single[1]?.length ?? 0) < 4) {
    const [, whole = '', mark, part = ''] = single;
    const digits = `${whole}${part}`;
    return {
      type: 'either',
      mark: mark === '.' ? '.' : ',',
      grouped: exact(digits, 0),
      decimal: exact(digits, 3),
      unit,
      written,
    };
  }
  if (groups !== null) {
    const [, whole = '', , part = ''] = groups;
    return number(whole.replaceAll(/\D/gu, ''), part, whole.includes('.') ? ',' : '.');
  }
  // Groups of two digits, as in India.
  const [, indian = null, end = ''] = /^([1-9]\d?(?:,\d{2})+,\d{3})(?:\.(\d+))?$/u.exec(body) ?? [];
  if (indian !== null) return number(indian.replaceAll(',', ''), end, '.');
  const [, whole = null, mark = '', part = ''] = /^(0|[1-9]\d*|)([.,])(\d+)$/u.exec(body) ?? [];
  return whole === null ? { type: 'text' } : number(whole, part, markOf(mark));
}

function markOf(text: string): Mark | null {
  return text.startsWith('.') ? '.' : text.startsWith(',') ? ',' : null;
}

export const zero: Exact = { units: 0n, decimals: 0 };

export function plus(left: Exact, right: Exact): Exact {
  const decimals = Math.max(left.decimals, right.decimals);
  return { units: scaled(left, decimals) + scaled(right, decimals), decimals };
}

export function times(left: Exact, right: Exact): Exact {
  return { units: left.units * right.units, decimals: left.decimals + right.decimals };
}

export function isLess(left: Exact, right: Exact): boolean {
  const decimals = Math.max(left.decimals, right.decimals);
  return scaled(left, decimals) < scaled(right, decimals);
}

export function isEqual(left: Exact, right: Exact): boolean {
  return !isLess(left, right) && !isLess(right, left);
}

const scaled = ({ units, decimals }: Exact, to: number): bigint => units * 10n ** BigInt(to - decimals);

/** The mean, rounded to two more decimals than the numbers have. */
export function mean(sum: Exact, count: number): { readonly value: Exact; readonly isRounded: boolean } {
  const decimals = sum.decimals + 2;
  const whole = scaled(sum, decimals);
  const divisor = BigInt(count);
  const half = whole < 0n ? -divisor / 2n : divisor / 2n;
  return { value: { units: (whole + half) / divisor, decimals }, isRounded: whole % divisor !== 0n };
}

/** Digits alone, with `mark` before the decimals, and no zeros at the end but as many as money has. */
export function textOfExact({ units, decimals }: Exact, mark: Mark): string {
  const digits = (units < 0n ? -units : units).toString().padStart(decimals + 1, '0');
  const whole = digits.slice(0, digits.length - decimals);
  let end = digits.length;
  while (end > whole.length && digits.charAt(end - 1) === '0') end -= 1;
  const part = digits.slice(whole.length, end);
  const shown = part.length === 1 && decimals >= 2 ? `${part}0` : part;
  return `${units < 0n ? '-' : ''}${whole}${shown === '' ? '' : `${mark}${shown}`}`;
}
