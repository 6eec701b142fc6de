import iconv from 'iconv-lite';
import { describe, expect, it } from 'vitest';
import { csvText, sheetTexts } from '../../../src/main/documents/parsers/sheet-texts.ts';
import { wordText } from '../../../src/main/documents/parsers/word-text.ts';
import { wordFile } from '../../fakes/office-files.ts';
import { timesWorkbook } from '../../fakes/times-workbook.ts';

const most = 100_000;

describe('a table that another program wrote', () => {
  // Bug: a table from Excel in Windows-1252 or UTF-16 is read with broken letters.
  it.each([
    ['windows-1252', 'name;preis\nMüller;5,50 €\n', ',A,B\n1,name,preis\n2,Müller,"5,50 €"'],
    ['utf-16le', '\uFEFFa\tb\nä\t1\n', ',A,B\n1,a,b\n2,ä,1'],
    [
      'shift_jis',
      '名前,値段\n東京の会社,百円\n大阪の店,二百円\n',
      ',A,B\n1,名前,値段\n2,東京の会社,百円\n3,大阪の店,二百円',
    ],
  ])('is read in its encoding: %s', (encoding, text, shown) => {
    const found = csvText(iconv.encode(text, encoding), most);
    expect(found).toMatchObject({ texts: [shown] });
  });

  // Bug: half past two is 14:29:59.999Z, a time of day is in 1899, and 30 hours are a day in 1899.
  it('has times as Excel shows them, and keeps the place of a merged cell', async () => {
    expect(await sheetTexts(timesWorkbook, most)).toMatchObject({
      texts: [',A,B,C,D\n1,2026-03-01,2026-03-01 14:30:00,09:15:00,30:00:00\n2,merged,,,'],
    });
  });
});

describe('a table of a Word document', () => {
  const cell = (text: string, about = ''): string =>
    `<w:tc><w:tcPr>${about}</w:tcPr><w:p><w:r><w:t>${text}</w:t></w:r></w:p></w:tc>`;

  // Bug: what stands beside a merged cell moves to another column.
  it('keeps its columns beside merged cells', async () => {
    const rows = [
      `${cell('wide', '<w:gridSpan w:val="2"/>')}${cell('c')}`,
      `${cell('a')}${cell('b')}${cell('tall', '<w:vMerge w:val="restart"/>')}`,
      `${cell('d')}${cell('e')}${cell('', '<w:vMerge/>')}`,
    ];
    const table = `<w:tbl>${rows.map((row) => `<w:tr>${row}</w:tr>`).join('')}</w:tbl>`;
    const main = 'http://schemas.openxmlformats.org/wordprocessingml/2006/main';
    const file = wordFile([], `<w:document xmlns:w="${main}"><w:body>${table}</w:body></w:document>`);
    expect(await wordText(file)).toMatchObject({
      texts: ['| wide |  | c |\n| --- | --- | --- |\n| a | b | tall |\n| d | e |  |'],
    });
  });
});
