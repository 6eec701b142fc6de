import type { RawCall } from './object-after.ts';

/**
 * Calls as functions with literals: `[read_file(path='a.py', from=3)]` in Python syntax (LFM, Llama, Gemma 3), and
 * `call:read_file{path:<|"|>a.py<|"|>,from:3}` of Gemma 4. Strict: returns null for anything but a list of names with
 * literals, because a program, or a text with quotes in it, is ambiguous.
 */
export function pythonCalls(text: string): readonly RawCall[] | null {
  const reader = new Reader(text);
  const isList = reader.takes('[');
  const calls: RawCall[] = [];
  do {
    if (isList && calls.length > 0 && reader.takes(']')) return reader.isAtEnd() ? calls : null;
    const call = reader.pythonCall();
    if (call === null) return null;
    calls.push(call);
  } while (isList ? reader.takes(',') : !reader.isAtEnd());
  return (!isList || reader.takes(']')) && reader.isAtEnd() ? calls : null;
}

const mark = '<|"|>';

/** The single call in `call:NAME{…}`, with texts between marks; null for anything else. */
export function gemmaCall(text: string): RawCall | null {
  const head = /^call:([\w-]+)(?=\{)/u.exec(text);
  if (head === null) return null;
  // The text between two marks is literal. Outside of them, names have no quotes.
  const json = text
    .slice(head[0].length)
    .split(mark)
    .map((piece, at) =>
      at % 2 === 1 ? JSON.stringify(piece) : piece.replaceAll(/(?<=[{,]\s{0,20})([\w-]{1,100})(?=:)/gu, '"$1"'),
    );
  const input = parsed(json.join(''));
  return json.length % 2 === 0 || input === undefined ? null : callOf(head[1] ?? '', input);
}

function parsed(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    return undefined;
  }
}

const callOf = (tool: string, input: unknown): RawCall => ({ text: JSON.stringify({ tool, input }), whole: true });

const words = new Map<string, boolean | null>([
  ['True', true],
  ['False', false],
  ['None', null],
  ['true', true],
  ['false', false],
]);
const escapes: Readonly<Record<string, string>> = { n: '\n', t: '\t', r: '\r', '\\': '\\', "'": "'", '"': '"' };
/** Means "not a value"; no Python literal reads as `undefined`. */
const none = undefined;
const deepest = 20;

class Reader {
  readonly #text: string;
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  isAtEnd(): boolean {
    this.#match(/\s*/uy);
    return this.#at === this.#text.length;
  }

  takes(sign: string): boolean {
    this.#match(/\s*/uy);
    if (!this.#text.startsWith(sign, this.#at)) return false;
    this.#at += sign.length;
    return true;
  }

  pythonCall(): RawCall | null {
    this.#match(/\s*/uy);
    const name = this.#match(/[A-Za-z_][\w-]{0,99}(?=\()/uy);
    if (name === null || !this.takes('(')) return null;
    const input = this.#entries(')', /[A-Za-z_]\w{0,99}(?=\s{0,20}=(?!=))/uy, '=', 0);
    return input === none ? null : callOf(name, input);
  }

  /** `key=value` or `"key": value` up to the closing sign. A repeated key makes the whole invalid. */
  #entries(
    closing: string,
    key: RegExp | null,
    between: string,
    depth: number,
  ): Readonly<Record<string, unknown>> | undefined {
    const entries = new Map<string, unknown>();
    while (!this.takes(closing)) {
      if (entries.size > 0 && !this.takes(',')) return none;
      if (entries.size > 0 && this.takes(closing)) break;
      this.#match(/\s*/uy);
      const name = key === null ? this.#string() : this.#match(key);
      if (typeof name !== 'string' || entries.has(name) || !this.takes(between)) return none;
      const value = this.#value(depth + 1);
      if (value === none) return none;
      entries.set(name, value);
    }
    return Object.fromEntries(entries);
  }

  #value(depth: number): unknown {
    if (depth > deepest) return none;
    this.#match(/\s*/uy);
    const next = this.#text[this.#at];
    if (next === '"' || next === "'") return this.#string();
    if (this.takes('{')) return this.#entries('}', null, ':', depth);
    if (this.takes('[')) return this.#list(depth);
    const word = this.#match(/[A-Za-z]+/uy);
    if (word !== null) return words.get(word);
    const number = this.#match(/-?(?:0|[1-9]\d{0,30})(?:\.\d{1,30})?(?:[eE][-+]?\d{1,5})?(?![\w.])/uy);
    return number === null ? none : Number(number);
  }

  #list(depth: number): readonly unknown[] | undefined {
    const values: unknown[] = [];
    while (!this.takes(']')) {
      if (values.length > 0 && !this.takes(',')) return none;
      if (values.length > 0 && this.takes(']')) break;
      const value = this.#value(depth + 1);
      if (value === none) return none;
      values.push(value);
    }
    return values;
  }

  /** A string in single, double or triple quotes. Line breaks are allowed, because models write them. */
  #string(): string | undefined {
    const quote = this.#match(/"""|'''|["']/uy);
    if (quote === null) return none;
    let value = '';
    while (this.#at < this.#text.length) {
      if (this.#text.startsWith(quote, this.#at)) {
        this.#at += quote.length;
        return value;
      }
      const character = this.#text[this.#at] ?? '';
      this.#at += 1;
      if (character !== '\\') {
        value += character;
        continue;
      }
      const escaped = this.#escape();
      if (escaped === none) return none;
      value += escaped;
    }
    return none;
  }

  #escape(): string | undefined {
    const code = this.#match(/u[\da-fA-F]{4}|x[\da-fA-F]{2}/uy);
    if (code !== null) return String.fromCharCode(Number.parseInt(code.slice(1), 16));
    const letter = this.#text[this.#at] ?? '';
    this.#at += 1;
    return escapes[letter];
  }

  #match(pattern: RegExp): string | null {
    pattern.lastIndex = this.#at;
    const match = pattern.exec(this.#text);
    if (match === null) return null;
    this.#at = pattern.lastIndex;
    return match[0];
  }
}
