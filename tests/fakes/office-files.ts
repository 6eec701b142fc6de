import { zipFile } from './zip-file.ts';

const head = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>';
const xml = (text: string): Buffer => Buffer.from(`${head}${text}`);
const escaped = (text: string): string => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
const relations = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';
const packageRelations = 'http://schemas.openxmlformats.org/package/2006/relationships';
const contentTypes = 'http://schemas.openxmlformats.org/package/2006/content-types';

function parts(main: string, others: Readonly<Record<string, Buffer>>): Buffer {
  const rels = `<Relationships xmlns="${packageRelations}"><Relationship Id="r1" Type="${relations}/officeDocument" Target="${main}"/></Relationships>`;
  const types = `<Types xmlns="${contentTypes}"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="xml" ContentType="application/xml"/></Types>`;
  return zipFile({ '[Content_Types].xml': xml(types), '_rels/.rels': xml(rels), ...others });
}

/** A paragraph, a heading (`# `), or the rows of a table. */
export type WordBlock = string | readonly (readonly string[])[];

/** A Word document made from scratch. `raw` is a document part that replaces the blocks. */
export function wordFile(blocks: readonly WordBlock[], raw?: string): Buffer {
  const run = (text: string): string => `<w:r><w:t xml:space="preserve">${escaped(text)}</w:t></w:r>`;
  const paragraph = (text: string): string =>
    text.startsWith('# ')
      ? `<w:p><w:pPr><w:pStyle w:val="Heading1"/></w:pPr>${run(text.slice(2))}</w:p>`
      : `<w:p>${run(text)}</w:p>`;
  const table = (rows: readonly (readonly string[])[]): string =>
    `<w:tbl>${rows.map((cells) => `<w:tr>${cells.map((cell) => `<w:tc>${paragraph(cell)}</w:tc>`).join('')}</w:tr>`).join('')}</w:tbl>`;
  const body = blocks.map((block) => (typeof block === 'string' ? paragraph(block) : table(block))).join('');
  const main = 'http://schemas.openxmlformats.org/wordprocessingml/2006/main';
  const styles = `<w:styles xmlns:w="${main}"><w:style w:type="paragraph" w:styleId="Heading1"><w:name w:val="heading 1"/></w:style></w:styles>`;
  const stylesRel = `<Relationships xmlns="${packageRelations}"><Relationship Id="r1" Type="${relations}/styles" Target="styles.xml"/></Relationships>`;
  return parts('word/document.xml', {
    'word/document.xml': xml(raw ?? `<w:document xmlns:w="${main}"><w:body>${body}</w:body></w:document>`),
    'word/styles.xml': xml(styles),
    'word/_rels/document.xml.rels': xml(stylesRel),
  });
}

/** A workbook made from scratch, with its sheets by name. `raw` is the rows of its first sheet as XML. */
export function excelFile(
  sheets: Readonly<Record<string, readonly (readonly (string | number)[])[]>>,
  raw?: string,
): Buffer {
  const main = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main';
  const names = Object.keys(sheets);
  const cell = (value: string | number, place: string): string =>
    typeof value === 'number'
      ? `<c r="${place}"><v>${value}</v></c>`
      : `<c r="${place}" t="inlineStr"><is><t>${escaped(value)}</t></is></c>`;
  const rowsOf = (rows: readonly (readonly (string | number)[])[]): string =>
    rows
      .map(
        (row, at) =>
          `<row r="${at + 1}">${row.map((value, column) => cell(value, `${String.fromCodePoint(65 + column)}${at + 1}`)).join('')}</row>`,
      )
      .join('');
  const listed = names.map((name, at) => `<sheet name="${escaped(name)}" sheetId="${at + 1}" r:id="r${at + 1}"/>`);
  const rels = names.map(
    (_, at) => `<Relationship Id="r${at + 1}" Type="${relations}/worksheet" Target="worksheets/sheet${at + 1}.xml"/>`,
  );
  const pages = Object.values(sheets).map((rows, at) => [
    `xl/worksheets/sheet${at + 1}.xml`,
    xml(
      `<worksheet xmlns="${main}"><sheetData>${at === 0 && raw !== undefined ? raw : rowsOf(rows)}</sheetData></worksheet>`,
    ),
  ]);
  return parts('xl/workbook.xml', {
    'xl/workbook.xml': xml(
      `<workbook xmlns="${main}" xmlns:r="${relations}"><sheets>${listed.join('')}</sheets></workbook>`,
    ),
    'xl/_rels/workbook.xml.rels': xml(`<Relationships xmlns="${packageRelations}">${rels.join('')}</Relationships>`),
    ...Object.fromEntries(pages),
  });
}
