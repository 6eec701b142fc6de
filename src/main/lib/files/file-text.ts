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
  readonly encode: (text: string) => Encoded;
}

export type Encoded = { readonly ok: true; readonly bytes: Uint8Array } | { readonly ok: false; readonly why: string };

const byteOrderMark = '\uFEFF';
const marks: readonly { readonly bytes: readonly number[]; readonly name: string; readonly label: string }[] = [
  { bytes: [0xff, 0xfe], name: 'UTF-16 LE', label: 'utf-16le' },
  { bytes: [0xfe, 0xff], name: 'UTF-16 BE', label: 'utf-16be' },
];

/** Reads a file's bytes as text. Null: they are not text, or not in a way that leads back to the same bytes. */
export function fileText(bytes: Uint8Array): FileText | null {
  const wide = marks.find(({ bytes: [first, second] }) => bytes[0] === first && bytes[1] === second);
  if (wide !== undefined) return markedText(bytes, wide);
  if (bytes.subarray(0, 8_000).includes(0)) return null;
  const whole = utf8Text(bytes);
  if (whole === null) return olderText(bytes);
  const mark = whole.startsWith(byteOrderMark) ? byteOrderMark : '';
  const lines = linesOf(whole.slice(mark.length));
  const encode = (text: string): Encoded => {
    const full = mark + lines.back(text);
    if (!isWellFormed(full)) return { ok: false, why: 'half of a character pair cannot be written in UTF-8' };
    return { ok: true, bytes: new TextEncoder().encode(full) };
  };
  return { text: lines.text, encoding: 'UTF-8', isCertain: true, encode };
}

function markedText(bytes: Uint8Array, { name, label }: (typeof marks)[number]): FileText | null {
  const whole = iconv.decode(Buffer.from(bytes), label, { stripBOM: false });
  if (!isSame(iconv.encode(whole, label, { addBOM: false }), bytes)) return null;
  const lines = linesOf(whole.slice(1));
  const encode = (text: string): Encoded => ({
    ok: true,
    bytes: iconv.encode(byteOrderMark + lines.back(text), label, { addBOM: false }),
  });
  return { text: lines.text, encoding: name, isCertain: true, encode };
}

/** Encodings from before UTF-8 in which ASCII is ASCII. `usual`: a pattern of what texts in it mostly consist of. */
const older: readonly { readonly name: string; readonly label: string; readonly usual: RegExp }[] = [
  { name: 'Shift-JIS', label: 'shift_jis', usual: /[\u3040-\u30ff\u3000-\u3002]/gu },
  { name: 'EUC-JP', label: 'euc-jp', usual: /[\u3040-\u30ff\u3000-\u3002]/gu },
  { name: 'EUC-KR', label: 'euc-kr', usual: /[\uac00-\ud7a3]/gu },
  {
    name: 'GBK',
    label: 'gbk',
    usual:
      /[的一是不了在人有我他这个们中来上大为和国地到以说时要就出会可也你对生能而子那得于着下自之年过发后作里用道行所然家种事成方多经么去法学如都同现当没动面起看定天分还进好小部其些主样理心她本前开但因只从想实日军者意无力它与长把机十民第公此已工使情明性知全三又关点正业外将两高间由问很最重并物手应战向头文体政美相见被利什二等产或新己制身果加西斯月话合回特代内信表化老给世位次度门任常先海通教儿原东声提立及比员解水名真论处走义各入几口认条平系气题活尔更别打女变四神总何电数安少报才结反受目太量再感建务做接必场件计管期市直德资命山金指克许统区保至队形社便空决治展马科司五基眼书非则听白却界达光放强即像难且权思王象完设式色路记南品住告类求据程北边死张该交规万取拉格望觉术领共确传师观清今切院让识候带导争运。，、！]/gu,
  },
  {
    name: 'Big5',
    label: 'big5',
    usual:
      /[的一是不了在人有我他這個們中來上大為和國地到以說時要就出會可也你對生能而子那得於著下自之年過發後作裡用道行所然家種事成方多經麼去法學如都同現當沒動面起看定天分還進好小部其些主樣理心她本前開但因只從想實。，、！]/gu,
  },
  { name: 'Windows-1252', label: 'windows-1252', usual: /(?<=[A-Za-z ])[à-öø-ÿÀ-ÖØ-Þß](?=[a-z ,.\n]|$)/gu },
  { name: 'Latin-1', label: 'iso-8859-1', usual: /(?!)/gu },
];

/**
 * Bytes that are not UTF-8. Only what leads back to the same bytes is read. Which encoding it is can only be guessed,
 * so a change may bring in no letter of its own that is neither ASCII nor in the file already.
 */
function olderText(bytes: Uint8Array): FileText | null {
  const fitting = older.flatMap(({ name, label, usual }) => {
    const text = iconv.decode(Buffer.from(bytes), label);
    if (text.includes('\uFFFD') || !isSame(iconv.encode(text, label), bytes)) return [];
    const letters = text.replaceAll(/[\0-\x7f]/gu, '').length;
    return [{ name, label, text, score: (text.match(usual)?.length ?? 0) / Math.max(1, letters) }];
  });
  const best = fitting.toSorted((left, right) => right.score - left.score)[0];
  if (best === undefined) return null;
  const known = new Set(best.text);
  const lines = linesOf(best.text);
  const encode = (text: string): Encoded => {
    const strange = Array.from(text).find((letter) => letter > '\x7f' && !known.has(letter));
    if (strange !== undefined)
      return {
        ok: false,
        why: `it is not UTF-8 (probably ${best.name}), and "${strange}" is in it nowhere yet, so nobody can say how to write it there`,
      };
    const encoded = iconv.encode(lines.back(text), best.label);
    return iconv.decode(encoded, best.label) === lines.back(text)
      ? { ok: true, bytes: encoded }
      : { ok: false, why: `a letter cannot be written in ${best.name}` };
  };
  return { text: lines.text, encoding: best.name, isCertain: false, encode };
}

/** Lines that end in CR alone end in LF for a reader, because nothing else looks for such lines. */
function linesOf(text: string): { readonly text: string; readonly back: (text: string) => string } {
  const isCrOnly = text.includes('\r') && !text.includes('\n');
  if (!isCrOnly) return { text, back: (changed) => changed };
  return { text: text.replaceAll('\r', '\n'), back: (changed) => changed.replaceAll(/\r?\n/gu, '\r') };
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

function isWellFormed(text: string): boolean {
  return !/[\uD800-\uDFFF]/u.test(text);
}

function isSame(left: Uint8Array, right: Uint8Array): boolean {
  return Buffer.compare(left, right) === 0;
}
