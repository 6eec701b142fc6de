import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { DocumentKind, DocumentText } from '@shared/documents/document-text.ts';
import { createDocumentReader, type ReadDocument } from '../../../src/main/documents/read-document.ts';
import { packedDocument } from '../../../src/main/lib/files/document-kind.ts';
import { createHostPrograms } from '../../../src/main/lib/programs/host-programs.ts';
import { excelFile, wordFile } from '../../fakes/office-files.ts';
import { pdfFile } from '../../fakes/pdf-file.ts';
import { zipFile } from '../../fakes/zip-file.ts';

let home: string;
let readerOf: (limits?: { readonly mostProcessorMs: number }) => ReadDocument;

beforeAll(() => {
  home = mkdtempSync(join(tmpdir(), 'dewpoint-documents-'));
  const programs = createHostPrograms({ home, env: process.env });
  const processPath = resolve('tests/fakes/document-child.mjs');
  readerOf = (limits) => createDocumentReader({ programs, nodePath: process.execPath, processPath, ...limits });
});

afterAll(() => rmSync(home, { recursive: true, force: true }));

const read = (kind: DocumentKind, bytes: Uint8Array | string): Promise<DocumentText> =>
  readerOf()(Buffer.from(bytes), { kind });

describe('a Word document', () => {
  it('is read as Markdown with its headings, tables and letters of every script', async () => {
    const rows = [
      ['Item', 'Price | net'],
      ['Схема 図', '1,234.50'],
    ];
    const found = await read('word', wordFile(['# Offer Ω', 'Dear Ms. Müller & Co <x>,', rows, 'שלום مرحبا 你好']));
    const text =
      '# Offer Ω\n\nDear Ms. Müller & Co <x>,\n\n| Item | Price \\| net |\n| --- | --- |\n| Схема 図 | 1,234.50 |\n\nשלום مرحبا 你好';
    expect(found).toEqual({ ok: true, pages: 1, texts: [text] });
  });

  // Bug: a parser that expands entities makes gigabytes of a few lines.
  it('is refused with entities of its own, and when it is damaged', async () => {
    const lines = Array.from({ length: 9 }, (_, at) => `<!ENTITY l${at + 1} "${`&l${at};`.repeat(10)}">`).join('');
    const laughs = `<!DOCTYPE d [<!ENTITY l0 "ha">${lines}]><w:document xmlns:w="w"><w:body>&l9;</w:body></w:document>`;
    expect(await read('word', wordFile([], laughs))).toEqual({ ok: false, why: 'broken' });
    expect(await read('word', wordFile(['Hello']).subarray(0, 400))).toEqual({ ok: false, why: 'broken' });
    const empty = Buffer.from('<document/>');
    expect(await read('word', zipFile({ 'word/document.xml': empty }))).toEqual({ ok: false, why: 'broken' });
  });

  it('is refused when it unpacks to far more than its size', async () => {
    const bomb = zipFile({ 'word/document.xml': Buffer.alloc(64 * 1024 * 1024, 0x20) });
    expect(await read('word', bomb)).toEqual({ ok: false, why: 'bomb' });
    const many = Object.fromEntries(Array.from({ length: 20_001 }, (_, at) => [`a/${at}.txt`, Buffer.from('')]));
    expect(await read('word', zipFile({ 'word/document.xml': Buffer.from(''), ...many }))).toMatchObject({
      why: 'bomb',
    });
  });

  // Bug: the directory of the archive states a small size, and the parser inflates whatever is there.
  it('is refused when its directory states other sizes than its parts have', async () => {
    const lying = wordFile(['Hello']);
    const at = lying.lastIndexOf('word/document.xml') - 22;
    lying.writeUInt32LE(10, at);
    expect(await read('word', lying)).toEqual({ ok: false, why: 'broken' });
  });
});

describe('an Excel workbook', () => {
  it('is read by sheet, with the numbers of its rows and the letters of its columns', async () => {
    const book = excelFile({
      'Budget 2026': [['Item', 'Cost'], [], ['Rent, cold', 1200.5], ['Σ', 3]],
      空: [],
    });
    expect(await read('excel', book)).toEqual({
      ok: true,
      pages: 2,
      names: ['Budget 2026', '空'],
      texts: [',A,B\n1,Item,Cost\n3,"Rent, cold",1200.5\n4,Σ,3', ''],
    });
  });

  it('is cut at whole rows when it is too long', async () => {
    const rows = Array.from({ length: 40_000 }, (_, at) => [`row ${at + 1}`, at]);
    const found = await read('excel', excelFile({ Long: rows }));
    expect(found).toMatchObject({ ok: true, pages: 1, isCut: true });
    expect(found.ok ? found.texts[0]?.split('\n').at(-1) : '').toMatch(/^\d+,row \d+,\d+$/u);
  });

  // Bug: one cell at the last place of a sheet made a table of 17 billion cells.
  it('with one cell at the last place is read or refused in time', async () => {
    const far = '<row r="1048576"><c r="XFD1048576"><v>1</v></c></row>';
    const found = await read('excel', excelFile({ Far: [] }, far));
    expect(found.ok ? found.texts[0]?.length : found.why).toSatisfy(
      (said: unknown) => said === 'too-hard' || (typeof said === 'number' && said < 262_144),
    );
  }, 120_000);
});

describe('a table of comma-separated values', () => {
  it('keeps the numbers of its rows, with line breaks inside of cells', async () => {
    const found = await read('csv', 'name;note\n"Anna";"two\nlines"\nБорис;"a;b"\n');
    expect(found).toMatchObject({ texts: [',A,B\n1,name,note\n2,Anna,two lines\n3,Борис,a;b'] });
  });
});

describe('a Jupyter notebook', () => {
  const cell = (type: string, source: readonly string[], outputs?: readonly object[]): object => ({
    cell_type: type,
    metadata: {},
    source,
    ...(outputs === undefined ? {} : { outputs }),
  });

  it('is read by cell, with the text of its outputs and the kind of its pictures', async () => {
    const picture = { output_type: 'display_data', data: { 'image/png': 'iVBOR', 'text/plain': ['<Figure>'] } };
    const failed = { output_type: 'error', ename: 'KeyError', evalue: "'x'", traceback: [] };
    const printed = { output_type: 'stream', name: 'stdout', text: ['1\n', '2\n'] };
    const cells = [cell('markdown', ['# Plan']), cell('code', ['a = 1\n', 'print(a)'], [printed, picture, failed])];
    expect(await read('notebook', JSON.stringify({ cells, nbformat: 4 }))).toEqual({
      ok: true,
      pages: 2,
      names: ['markdown', 'code'],
      texts: [
        '# Plan',
        "a = 1\nprint(a)\n[Output]\n1\n2\n[Output]\n(A picture, image/png.)\n<Figure>\n[Output]\nKeyError: 'x'",
      ],
    });
    expect(await read('notebook', '{"cells": 1}')).toEqual({ ok: false, why: 'broken' });
    expect(await read('notebook', '{"cells": []}')).toMatchObject({ ok: true, pages: 1 });
  });
});

describe('the kind of a document', () => {
  it('is found by its bytes', () => {
    expect(packedDocument(wordFile(['x']))).toEqual({ kind: 'word', why: null });
    expect(packedDocument(excelFile({ a: [] }))).toEqual({ kind: 'excel', why: null });
    expect(packedDocument(pdfFile({ pages: [['x']] }))).toEqual({ kind: 'pdf', why: null });
    expect(packedDocument(zipFile({ 'a.txt': Buffer.from('x') }))).toBeNull();
    expect(packedDocument(Buffer.from('# Markdown\n'))).toBeNull();
  });

  it('says why an older or a protected file of Office is not read', () => {
    const older = (name: string): Buffer =>
      Buffer.concat([Buffer.from('d0cf11e0a1b11ae1', 'hex'), Buffer.alloc(100), Buffer.from(name, 'utf16le')]);
    expect(packedDocument(older('WordDocument'))).toEqual({ kind: 'word', why: 'older' });
    expect(packedDocument(older('Workbook'))).toEqual({ kind: 'excel', why: 'older' });
    expect(packedDocument(older('EncryptedPackage'))).toEqual({ kind: 'word', why: 'encrypted' });
    expect(packedDocument(older('Something'))).toBeNull();
  });
});

describe('a PDF of 10,000 pages', () => {
  it('is read from its first page on, as far as the time goes', async () => {
    const pages = Array.from({ length: 10_000 }, (_, at) => [`Page ${at + 1} of a very long report.`]);
    const found = await readerOf({ mostProcessorMs: 5_000 })(pdfFile({ pages }), { kind: 'pdf' });
    expect(found).toMatchObject({ ok: true, pages: 10_000 });
    const read = found.ok ? found.texts : [];
    expect(read.length).toBeGreaterThan(0);
    expect(read[0]).toBe('Page 1 of a very long report.');
  }, 180_000);
});

describe('a workbook whose formulas nobody computed', () => {
  // Bug: a formula without a value was an empty cell, and one of text made the whole workbook count as damaged.
  it('shows the text of each formula, and the values of the others', async () => {
    const rows = [
      '<row r="1"><c r="A1"><v>2</v></c><c r="B1"><f>SUM(A1:A2)</f><v></v></c><c r="C1"><f>A1*2</f><v>4</v></c></row>',
      '<row r="2"><c r="A2" t="str"><f>IF(A1&lt;3,"a","b")</f></c><c r="B2" t="str"><f>TRIM("")</f><v></v></c></row>',
      '<row r="3"><c r="A3"/><c r="B3"><f t="shared" si="0"/></c><c r="C3" t="inlineStr"><is><t>end</t></is></c></row>',
    ];
    const found = await read('excel', excelFile({ Sums: [], Rest: [['x']] }, rows.join('')));
    expect(found.ok ? found.texts : found.why).toEqual([
      [
        ',A,B,C',
        '1,2,(formula, not computed: =SUM(A1:A2)),4',
        '2,"(formula, not computed: =IF(A1<3,""a"",""b""))",,',
        '3,,(formula, not computed),end',
      ]
        .join('\n')
        .replace('(formula, not computed: =SUM(A1:A2))', '"(formula, not computed: =SUM(A1:A2))"')
        .replace('(formula, not computed),', '"(formula, not computed)",'),
      ',A\n1,x',
    ]);
  });

  it('takes no longer for cells that do not end', async () => {
    const open = '<c r="A1"><f>'.repeat(400_000);
    expect(await read('excel', excelFile({ Open: [] }, `<row r="1">${open}</row>`))).toMatchObject({ ok: false });
  }, 60_000);
});

describe('a Word document with tracked changes', () => {
  it('is read as if they were accepted, and says that there are some', async () => {
    const run = (text: string, tag = 't'): string => `<w:r><w:${tag} xml:space="preserve">${text}</w:${tag}></w:r>`;
    const body = `<w:p>${run('The price is ')}<w:del>${run('90', 'delText')}</w:del><w:ins>${run('120')}</w:ins>${run(' EUR.')}<w:moveTo>${run(' Net.')}</w:moveTo></w:p>`;
    const main = 'http://schemas.openxmlformats.org/wordprocessingml/2006/main';
    const found = await read(
      'word',
      wordFile([], `<w:document xmlns:w="${main}"><w:body>${body}</w:body></w:document>`),
    );
    expect(found.ok ? found.texts[0] : '').toBe(
      '[Tracked changes: 2 added and 1 removed places are not accepted yet. This is the text with all of them accepted.]\n\nThe price is 120 EUR. Net.',
    );
  });
});
