import iconv from 'iconv-lite';
import { diffArrays } from 'diff';
import { utf8Text } from '../utf8-text.ts';

/** The text of a file, and the way back to bytes that keeps everything which the text does not show. */
export interface FileText {
  /** Without a byte order mark. A file whose lines end in CR alone has them end in LF here. */
  readonly text: string;
  /** Its name for people, such as `GBK`. */
  readonly encoding: string;
  /** False: several encodings fit the bytes, and this is the likeliest. */
  readonly isCertain: boolean;
  /** The bytes of a changed text in the form of this file, or why there are none. */
  readonly encode: (text: string) => EncodeResult;
}

export type EncodeResult =
  | { readonly ok: true; readonly bytes: Uint8Array }
  | { readonly ok: false; readonly why: string };

const byteOrderMark = '\uFEFF';

/** A way to read bytes as text that leads back to the same bytes. A text begins with the byte order mark, if any. */
interface Form {
  /** As `FileText.encoding`. */
  readonly name: string;
  readonly isCertain: boolean;
  /** Null: these bytes are no text in this form. */
  readonly decode: (bytes: Uint8Array) => string | null;
  readonly encode: (text: string) => Uint8Array;
}

const utf8: Form = {
  name: 'UTF-8',
  isCertain: true,
  decode: utf8Text,
  encode: (text) => new TextEncoder().encode(text),
};

function formFor(name: string, label: string, isCertain: boolean): Form {
  const encode = (text: string): Uint8Array => iconv.encode(text, label, { addBOM: false });
  const decode = (bytes: Uint8Array): string | null => {
    const text = iconv.decode(Buffer.from(bytes), label, { stripBOM: false });
    return !text.includes('\uFFFD') && isSame(encode(text), bytes) ? text : null;
  };
  return { name, isCertain, decode, encode };
}

const wide = [
  { mark: [0xff, 0xfe], form: formFor('UTF-16 LE', 'utf-16le', true) },
  { mark: [0xfe, 0xff], form: formFor('UTF-16 BE', 'utf-16be', true) },
] as const;

/** Reads a file's bytes as text. Null: they are not text, or not in a way that leads back to the same bytes. */
export function fileText(bytes: Uint8Array): FileText | null {
  const form = formOf([bytes]);
  const whole = form?.decode(bytes) ?? null;
  if (form === null || whole === null) return null;
  const mark = whole.startsWith(byteOrderMark) ? byteOrderMark : '';
  const lines = linesOf(whole.slice(mark.length));
  const encode = (text: string): EncodeResult => encodeIn(form, mark + lines.back(text), whole);
  return { text: lines.text, encoding: form.name, isCertain: form.isCertain, encode };
}

/** A file as one text with all that its bytes say: the byte order mark and every line end, too. */
export interface WholeText {
  readonly text: string;
  /** As `FileText.encoding`. */
  readonly encoding: string;
}

/** Null: as with `fileText`. */
export function wholeText(bytes: Uint8Array): WholeText | null {
  const form = formOf([bytes]);
  const text = form?.decode(bytes) ?? null;
  return form === null || text === null ? null : { text, encoding: form.name };
}

/** The bytes of a text in place of an old one, in the encoding of that. */
export function encodeLike(old: WholeText, text: string): EncodeResult {
  const forms = [utf8, ...wide.map(({ form }) => form), ...older.map(([form]) => form)];
  return encodeIn(forms.find(({ name }) => name === old.encoding) ?? utf8, text, old.text);
}

/**
 * Which encoding an older file is in can only be guessed, so a change may bring in no letter of its own that is neither
 * ASCII nor in the file already.
 */
function encodeIn(form: Form, text: string, old: string): EncodeResult {
  if (form === utf8 && !text.isWellFormed())
    return { ok: false, why: 'half of a character pair cannot be written in UTF-8' };
  const known = form.isCertain ? null : new Set(old);
  const strange = known && Array.from(text).find((one) => one > '\x7f' && !known.has(one));
  if (strange)
    return {
      ok: false,
      why: `it is not UTF-8 (probably ${form.name}), and "${strange}" is in it nowhere yet, so nobody can say how to write it there`,
    };
  const bytes = form.encode(text);
  return form.isCertain || form.decode(bytes) === text
    ? { ok: true, bytes }
    : { ok: false, why: `a letter cannot be written in ${form.name}` };
}

/** Versions of a file as texts with all that their bytes say, and the way back for a text made of lines of them. */
export function textsInOneForm(versions: readonly Uint8Array[]): {
  readonly texts: readonly string[];
  readonly encode: (text: string) => Uint8Array;
} | null {
  const form = formOf(versions);
  if (form === null) return null;
  const texts = versions.flatMap((bytes) => form.decode(bytes) ?? []);
  return texts.length === versions.length ? { texts, encode: form.encode } : null;
}

/** Two versions of a file as texts that can be compared. No file counts as an empty one. */
export interface TextPair {
  readonly before: string;
  readonly after: string;
  /** Such as `GBK to UTF-8`. Null: both are in the same encoding. */
  readonly note: string | null;
  /** The bytes of a text made of lines of both. Null: they are not in the same encoding. */
  readonly encode: ((text: string) => Uint8Array) | null;
}

/** Null: one of them is not text. */
export function textPair(before: Uint8Array | null, after: Uint8Array | null): TextPair | null {
  const [left, right] = [before ?? new Uint8Array(), after ?? new Uint8Array()];
  const form = formOf([left, right]);
  const [old, fresh] = [form?.decode(left) ?? null, form?.decode(right) ?? null];
  if (form !== null && old !== null && fresh !== null) {
    const { back } = linesOf(old + fresh);
    const shown = isCrOnly(old + fresh) ? (text: string) => linesOf(text).text : (text: string) => text;
    return { before: shown(old), after: shown(fresh), note: null, encode: (text) => form.encode(back(text)) };
  }
  const [one, other] = [fileText(left), fileText(right)];
  if (one === null || other === null) return null;
  return { before: one.text, after: other.text, note: `${one.encoding} to ${other.encoding}`, encode: null };
}

/** The form in which all of these are text. Null: there is none. */
function formOf(parts: readonly Uint8Array[]): Form | null {
  const some = parts.filter(({ length }) => length > 0);
  for (const { mark, form } of wide) {
    const isMarked = (bytes: Uint8Array): boolean => bytes[0] === mark[0] && bytes[1] === mark[1];
    if (some.length > 0 && some.every(isMarked)) return some.every((bytes) => isWideText(form, bytes)) ? form : null;
    if (some.some(isMarked)) return null;
  }
  if (some.some((bytes) => bytes.includes(0))) return null;
  const isUtf8 = some.map((bytes) => utf8Text(bytes) !== null);
  if (!isUtf8.includes(false)) return utf8;
  // One of them was written anew in UTF-8, and is no text in what the other is in.
  if (some.some((bytes, index) => isUtf8[index] === true && bytes.some((byte) => byte > 0x7f))) return null;
  return olderForm(Buffer.concat(some));
}

function isWideText(form: Form, bytes: Uint8Array): boolean {
  const text = form.decode(bytes);
  return text !== null && text.isWellFormed() && !/[\0\p{Cn}]/u.test(text);
}

/** What texts in an encoding mostly consist of, and how unlikely a letter of it and any other is: `-log(p)`. */
interface Script {
  readonly usual: RegExp;
  readonly costs: readonly [usual: number, other: number];
}

const plainCost = 3;
const japanese: Script = { usual: /[\u3040-\u30ff\u3000-\u3002]/gu, costs: [5.6, 9.7] };
const korean: Script = { usual: /[\uac00-\ud7a3]/gu, costs: [7.8, 12.2] };
const simplified: Script = {
  usual:
    /[的一是不了在人有我他这个们中来上大为和国地到以说时要就出会可也你对生能而子那得于着下自之年过发后作里用道行所然家种事成方多经么去法学如都同现当没动面起看定天分还进好小部其些主样理心她本前开但因只从想实日军者意无力它与长把机十民第公此已工使情明性知全三又关点正业外将两高间由问很最重并物手应战向头文体政美相见被利什二等产或新己制身果加西斯月话合回特代内信表化老给世位次度门任常先海通教儿原东声提立及比员解水名真论处走义各入几口认条平系气题活尔更别打女变四神总何电数安少报才结反受目太量再感建务做接必场件计管期市直德资命山金指克许统区保至队形社便空决治展马科司五基眼书非则听白却界达光放强即像难且权思王象完设式色路记南品住告类求据程北边死张该交规万取拉格望觉术领共确传师观清今切院让识候带导争运。，、！]/gu,
  costs: [6.5, 11.3],
};
const traditional: Script = {
  usual:
    /[的一是不了在人有我他這個們中來上大為和國地到以說時要就出會可也你對生能而子那得於著下自之年過發後作裡用道行所然家種事成方多經麼去法學如都同現當沒動面起看定天分還進好小部其些主樣理心她本前開但因只從想實。，、！]/gu,
  costs: [6.5, 11.3],
};
/** Letters with accents stand alone or in pairs beside plain ones. Those of Cyrillic make whole words. */
const accented = (letters: string, marks: string): Script => ({
  usual: new RegExp(
    `(?<![^\\x00-\\x7f]{2})[${letters}](?=[a-z\\s\\p{P}]|$|[${letters}](?![${letters}]))|[${marks}]`,
    'giu',
  ),
  costs: [3.5, 7.6],
});
const western = accented('ßà-öø-ÿœšž', '«»¿¡°§©®±µ·–—‘’“”„…€\u00a0');
const central = accented('ßáéíóúýäöüôąćęłńśźżěščřžůďťňőűăâîșțşţđ', '«»°§©–—‘’“”„…€\u00a0');
const cyrillic: Script = { usual: /(?<![a-z\p{L}])[А-ЯЁ]*[а-яё]+(?![a-z\p{L}])/gu, costs: [3.5, 8] };

/** Encodings from before UTF-8 in which ASCII is ASCII. Of two that fit as well, the first is taken. */
const older: readonly (readonly [Form, Script])[] = [
  [formFor('Shift-JIS', 'shift_jis', false), japanese],
  [formFor('EUC-JP', 'euc-jp', false), japanese],
  [formFor('EUC-KR', 'euc-kr', false), korean],
  [formFor('GBK', 'gbk', false), simplified],
  [formFor('Big5', 'big5', false), traditional],
  [formFor('Windows-1252', 'windows-1252', false), western],
  [formFor('Windows-1250', 'windows-1250', false), central],
  [formFor('ISO-8859-2', 'iso-8859-2', false), central],
  [formFor('Windows-1251', 'windows-1251', false), cyrillic],
  [formFor('KOI8-R', 'koi8-r', false), cyrillic],
  [formFor('IBM866', 'cp866', false), cyrillic],
  [formFor('Latin-1', 'iso-8859-1', false), { usual: /(?!)/gu, costs: [9, 9] }],
];

/** How a letter may be written in an older encoding. */
export function olderBytes(letter: string): readonly Uint8Array[] {
  const ways = older.flatMap(([{ encode, decode }]) => {
    const bytes = encode(letter);
    return decode(bytes) === letter ? [bytes] : [];
  });
  return [...new Map(ways.map((bytes) => [Buffer.from(bytes).toString('hex'), bytes])).values()];
}

function olderForm(bytes: Uint8Array): Form | null {
  if (bytes.some((byte) => isControl(byte))) return null;
  const fitting = older.flatMap(([form, { usual, costs }]) => {
    const text = form.decode(bytes);
    if (text === null || /[\x80-\x9f\p{Cn}]/u.test(text)) return [];
    const letters = text.replaceAll(/[\0-\x7f]/gu, '').length;
    const known = text.match(usual)?.reduce((sum, { length }) => sum + length, 0) ?? 0;
    // The second byte of a letter may be one that ASCII has.
    const plain = (text.length - letters) * plainCost;
    return [{ form, cost: plain + known * costs[0] + (letters - known) * costs[1] }];
  });
  return fitting.toSorted((left, right) => left.cost - right.cost)[0]?.form ?? null;
}

/** What no text in an older encoding has. Colors of a terminal, overstrikes and the end mark of DOS are in texts. */
function isControl(byte: number): boolean {
  return byte === 0x7f || (byte < 0x20 && !(byte >= 0x08 && byte <= 0x0d) && byte !== 0x1a && byte !== 0x1b);
}

/** Lines that end in CR alone end in LF for a reader, because nothing else looks for such lines. */
function linesOf(text: string): { readonly text: string; readonly back: (text: string) => string } {
  if (!isCrOnly(text)) return { text, back: (changed) => changed };
  return { text: text.replaceAll('\r', '\n'), back: (changed) => changed.replaceAll(/\r?\n/gu, '\r') };
}

function isCrOnly(text: string): boolean {
  return text.includes('\r') && !text.includes('\n');
}

/**
 * A whole new text in the form of the old one: its line ends, and whether its last line has one. A text that differs in
 * nothing else is meant as it is. Lines that stay keep their own end.
 */
export function inFormOf(old: string, given: string): string {
  if (old === '' || given === '') return given;
  const formed = withLastEnd(old, withLineEnds(old, given));
  return formed === old ? given : formed;
}

const lineEnds = /\r\n|\n/gu;

/** A text with the line ends of the old one: lines that stay keep their own, lines in place of others take theirs. */
export function withLineEnds(old: string, given: string): string {
  const ends: readonly string[] = old.match(lineEnds) ?? [];
  const crlf = ends.filter((end) => end === '\r\n').length;
  // Without a line end in the old text, the new one has its own.
  if (ends.length === 0) return given;
  const usual = crlf * 2 > ends.length ? '\r\n' : '\n';
  const plain = given.split(/\r?\n/u);
  if (crlf === 0 || crlf === ends.length) return plain.join(usual);
  return withOwnEnds(old.split(/\r?\n/u), ends, plain, usual);
}

/** Comparing takes time quadratic in the number of changes; beyond it, every line gets the usual end. */
const mostChanges = 4_000;

function withOwnEnds(old: readonly string[], ends: readonly string[], plain: string[], usual: string): string {
  const changes = diffArrays([...old], plain, { maxEditLength: mostChanges });
  if (changes === undefined) return plain.join(usual);
  const lines: string[] = [];
  let at = 0;
  // A line in place of another one takes its end.
  let replaced: readonly string[] = [];
  for (const { added, removed, value } of changes) {
    if (removed) replaced = ends.slice(at, at + value.length);
    else
      for (const [index, line] of value.entries())
        lines.push(line + ((added ? replaced[index] : ends[at + index]) ?? usual));
    if (!added) at += value.length;
    if (!removed) replaced = [];
  }
  const whole = lines.join('');
  return whole.slice(0, whole.length - (whole.endsWith('\r\n') ? 2 : 1));
}

function withLastEnd(old: string, formed: string): string {
  const end = /\r?\n$/u.exec(old)?.[0];
  if (end === undefined) return formed.replace(/\r?\n$/u, '');
  return formed.endsWith('\n') ? formed : formed + end;
}

function isSame(left: Uint8Array, right: Uint8Array): boolean {
  return Buffer.compare(left, right) === 0;
}
