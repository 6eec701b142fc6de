import { deflateRawSync } from 'node:zlib';
import iconv from 'iconv-lite';
import { describe, expect, it } from 'vitest';
import { fileText, inFormOf, textPair } from '../../../../src/main/lib/files/file-text.ts';

const japanese = 'これは日本語のテキストです。\nprint("ソ表能")\nカタカナもあります。\n';
const chinese = '这是一个中文的文件。\nname = "价格"\n我们在这里写了一些字。\n';
const traditional = '這是一個中文的檔案。\nname = "價格"\n我們在這裡寫了一些字。\n';
const korean = '이것은 한국어 파일입니다.\nname = "가격"\n여기에 글을 씁니다.\n';
const russian = 'Это файл на русском языке.\nname = "Цена"\nЗдесь мы пишем буквы.\n';
const polish = 'To jest plik w języku polskim.\nname = "Wartość"\nProszę sprawdzić ścieżkę i długość.\n';
const western = 'Größe und Übermaß – déjà vu.\nname = "Straße"\nça va\n';

const encodings: readonly (readonly [name: string, label: string, text: string])[] = [
  ['UTF-8', 'utf-8', western],
  ['UTF-8', 'utf-8', `\uFEFF${western}`],
  ['UTF-16 LE', 'utf-16le', `\uFEFF${chinese}`],
  ['UTF-16 BE', 'utf-16be', `\uFEFF${chinese}`],
  ['Windows-1252', 'windows-1252', western],
  ['Shift-JIS', 'shift_jis', japanese],
  ['EUC-JP', 'euc-jp', japanese],
  ['EUC-KR', 'euc-kr', korean],
  ['GBK', 'gbk', chinese],
  ['Big5', 'big5', traditional],
  ['Windows-1250', 'windows-1250', polish],
  ['ISO-8859-2', 'iso-8859-2', polish],
  ['Windows-1251', 'windows-1251', russian],
  ['KOI8-R', 'koi8-r', russian],
  ['IBM866', 'cp866', russian],
];

const bytesOf = (text: string, label: string): Uint8Array => iconv.encode(text, label, { addBOM: false });

describe('the text of a file', () => {
  it.each(encodings)('in %s (%s) is read, and written back byte for byte', (name, label, text) => {
    const bytes = bytesOf(text, label);
    const read = fileText(bytes);
    expect(read).toMatchObject({ encoding: name, text: text.replace('\uFEFF', '') });
    expect(read?.encode(read.text)).toEqual({ ok: true, bytes: expect.anything() });
    const again = read?.encode(read.text);
    expect(again?.ok === true && Buffer.compare(again.bytes, bytes)).toBe(0);
  });

  it.each(['iso-8859-1', 'koi8-r', 'windows-1251', 'iso-8859-15'])(
    'in ambiguous %s takes ASCII and letters that it has, and keeps all bytes',
    (label) => {
      const text = label.startsWith('iso') ? 'Größe\nname\n' : 'Привет\nname\n';
      const bytes = bytesOf(text, label);
      const read = fileText(bytes);
      expect(read?.isCertain).toBe(false);
      const changed = read?.encode(read.text.replace('name', 'other'));
      expect(changed?.ok === true && Buffer.from(changed.bytes)).toEqual(
        Buffer.from(bytesOf(text.replace('name', 'other'), label)),
      );
      expect(read?.encode(`${read.text}\u4e2d`)).toMatchObject({
        ok: false,
        why: expect.stringContaining('not UTF-8'),
      });
    },
  );

  it.each([
    ['a zero byte', Buffer.from([65, 0, 66])],
    ['a zero byte far from the beginning', Buffer.from(`${'a'.repeat(9000)}\0`)],
    ['half a UTF-16 letter', Buffer.from([0xff, 0xfe, 65])],
    ['half a pair in UTF-16', Buffer.from([0xff, 0xfe, 0x00, 0xd8, 65, 0])],
  ])('with %s is not read, unless it can be written back to the same bytes', (_name, bytes) => {
    const read = fileText(bytes);
    const back = read?.encode(read.text);
    expect(read === null || (back?.ok === true && Buffer.compare(back.bytes, bytes) === 0)).toBe(true);
  });

  it.each([
    ['compressed', deflateRawSync(Buffer.from(chinese)).filter((byte) => byte !== 0)],
    ['with control characters', Buffer.from([0xe9, 1, 2, 3, 0xe9])],
    ['with what no letter has in UTF-16', Buffer.from([0xff, 0xfe, 0xff, 0xff, 65, 0])],
    ['with a zero letter in UTF-16', Buffer.from([0xff, 0xfe, 0, 0, 65, 0])],
  ])('is not read when the file is %s, also without a zero byte', (_name, bytes) => {
    expect(fileText(bytes)).toBeNull();
  });

  it('has lines when the file ends them with CR alone', () => {
    const read = fileText(Buffer.from('a\rb\rc'));
    expect(read?.text).toBe('a\nb\nc');
    expect(read?.encode('a\nx\nc')).toEqual({ ok: true, bytes: new Uint8Array(Buffer.from('a\rx\rc')) });
  });
});

describe('two versions of a file', () => {
  it('are read in the same encoding, also when one is short', () => {
    const more = iconv.encode(chinese, 'gbk');
    expect(textPair(Buffer.from('plain\n'), more)).toMatchObject({ before: 'plain\n', after: chinese, note: null });
    const pair = textPair(more, Buffer.concat([more, Buffer.from('x\n')]));
    expect(pair).toMatchObject({ before: chinese, after: `${chinese}x\n` });
    expect(Buffer.from(pair?.encode?.(chinese) ?? [])).toEqual(more);
  });

  it('have lines when both end them with CR alone, and a note when their encodings differ', () => {
    const pair = textPair(Buffer.from('a\rb\r'), Buffer.from('a\rc\r'));
    expect(pair).toMatchObject({ before: 'a\nb\n', after: 'a\nc\n' });
    expect(Buffer.from(pair?.encode?.('a\nx\n') ?? [])).toEqual(Buffer.from('a\rx\r'));
    const other = textPair(iconv.encode(russian, 'koi8-r'), Buffer.from(russian));
    expect(other).toEqual({ before: russian, after: russian, note: 'KOI8-R to UTF-8', encode: null });
    expect(textPair(Buffer.from([0]), Buffer.from('a'))).toBeNull();
  });
});

describe('the new text of a file', () => {
  it.each([
    ['a\r\nb\r\n', 'a\nc\n', 'a\r\nc\r\n'],
    ['a\nb\n', 'a\r\nc\r\n', 'a\nc\n'],
    ['a\nb', 'a\nc\n', 'a\nc'],
    ['a\nb\n', 'a\nc', 'a\nc\n'],
    ['a\r\nb\nc\r\n', 'a\nb\nx\n', 'a\r\nb\nx\r\n'],
    ['a\nb\nc\r\n', 'new\na\nb\nc\n', 'new\na\nb\nc\r\n'],
    ['', 'a\r\nb', 'a\r\nb'],
    ['one', 'two\n', 'two'],
    // Nothing else would change, so the form itself is what was asked for.
    ['a\r\nb\r\n', 'a\nb\n', 'a\nb\n'],
    ['a\nb', 'a\nb\n', 'a\nb\n'],
  ])('with the line ends of %j: %j is written as %j', (old, given, written) => {
    expect(inFormOf(old, given)).toBe(written);
  });
});
