import type { ChildProcess } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  rmSync,
  symlinkSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { DocumentKind, DocumentText } from '@shared/documents/document-text.ts';
import { markedParts, mostTextBytes } from '@shared/documents/document-text.ts';
import { createDocumentReader, createPageDrawer } from '../../../src/main/documents/read-document.ts';
import type { IndexOptions } from '../../../src/main/documents/search/index-client.ts';
import { createSearchDocuments } from '../../../src/main/documents/search/search-documents.ts';
import { createHostPrograms } from '../../../src/main/lib/programs/host-programs.ts';
import { createReadOnlySandbox } from '../../../src/main/sandbox/read-only/read-only-sandbox.ts';
import type { SandboxFiles } from '../../../src/main/sandbox/sandbox.ts';
import { excelFile, wordFile } from '../../fakes/office-files.ts';
import { pdfFile } from '../../fakes/pdf-file.ts';
import { zipFile } from '../../fakes/zip-file.ts';

const never = new AbortController().signal;
let home: string;
let base: Omit<IndexOptions, 'indexPath'>;

beforeAll(() => {
  home = mkdtempSync(join(tmpdir(), 'dewpoint-hostile-'));
  const programs = createHostPrograms({ home, env: process.env });
  base = { programs, nodePath: process.execPath, processPath: resolve('tests/fakes/document-child.mjs') };
});

afterAll(() => rmSync(home, { recursive: true, force: true }));

const read = (kind: DocumentKind, bytes: Uint8Array): Promise<DocumentText> =>
  createDocumentReader(base)(bytes, { kind, signal: never, mostBytes: mostTextBytes });

/** As much text as a document may have, with its marks, and no more; or a reason. */
function isBounded(kind: DocumentKind, found: DocumentText): boolean {
  return found.ok
    ? Buffer.byteLength(markedParts(kind, found).join('\n')) <= mostTextBytes * 2
    : found.why !== 'no-reader';
}

describe('a hostile document', () => {
  it('that holds archives within archives is read without unpacking them', async () => {
    let inner = zipFile({ 'a.txt': Buffer.alloc(1_000_000) });
    for (let depth = 0; depth < 6; depth += 1) inner = zipFile({ 'a.zip': inner, 'b.zip': inner });
    const book = zipFile({ 'xl/workbook.xml': Buffer.from('<workbook/>'), 'xl/embeddings/a.zip': inner });
    expect(await read('excel', book)).toEqual({ ok: false, why: 'broken' });
  }, 60_000);

  it('of PDF with scripts, launches, addresses and an embedded file is read as its pages alone', async () => {
    const asked: string[] = [];
    const site = createServer((request, response) => {
      asked.push(request.url ?? '');
      response.end('here');
    });
    await new Promise<void>((listens) => site.listen(0, '127.0.0.1', listens));
    const address = site.address();
    const url = `http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}`;
    const made = join(home, 'launched');
    const catalog = [
      `/OpenAction << /S /Launch /F (/usr/bin/touch) /Unix << /F (/usr/bin/touch) /P (${made}) >> /Next << /S /URI /URI (${url}/open) >> >>`,
      `/AA << /WC << /S /JavaScript /JS (app.launchURL\\("${url}/script"\\);) >> /WS << /S /SubmitForm /F << /FS /URL /F (${url}/form) >> >> >>`,
      `/Names << /JavaScript << /Names [(a) << /S /JavaScript /JS (while \\(true\\) {}) >>] >> /EmbeddedFiles << /Names [(a.exe) << /Type /Filespec /F (a.exe) /FS /URL /EF << /F 4 0 R >> >>] >> >>`,
    ].join(' ');
    const file = pdfFile({ pages: [['Only the page.']], catalog });
    const found = await read('pdf', file);
    const drawn = await createPageDrawer(base)(file, { page: 1 });
    site.close();
    expect(found).toMatchObject({ ok: true });
    expect(JSON.stringify(found)).toContain('Only the page.');
    expect(JSON.stringify(found)).not.toMatch(/a\.exe|launchURL/u);
    expect(drawn).toMatchObject({ ok: true, pages: 1 });
    expect({ asked, isLaunched: existsSync(made) }).toEqual({ asked: [], isLaunched: false });
  }, 120_000);

  // Bug of others: each entry of the directory leads to the same packed bytes, so a small file unpacks to terabytes.
  it('whose entries share their packed bytes is refused', async () => {
    const one = zipFile({ 'word/document.xml': Buffer.alloc(3_000_000, 0x20) });
    const end = one.length - 22;
    const from = one.readUInt32LE(end + 16);
    const entry = one.subarray(from, end);
    const count = 2_000;
    const tail = Buffer.from(one.subarray(end));
    tail.writeUInt16LE(count, 8);
    tail.writeUInt16LE(count, 10);
    tail.writeUInt32LE(entry.length * count, 12);
    const bomb = Buffer.concat([one.subarray(0, from), ...Array.from({ length: count }, () => entry), tail]);
    expect(await read('word', bomb)).toEqual({ ok: false, why: 'bomb' });
  }, 120_000);

  // Catches: a check for entities that looks at the first bytes alone, or at one encoding.
  it.each(['utf8', 'utf16le'] as const)(
    'with entities behind a long comment expands none, in %s',
    async (encoding) => {
      const lines = Array.from({ length: 9 }, (_, at) => `<!ENTITY l${at + 1} "${`&l${at};`.repeat(10)}">`).join('');
      const main = 'http://schemas.openxmlformats.org/wordprocessingml/2006/main';
      const xml = `\uFEFF<!--${' '.repeat(9_000)}--><!DOCTYPE d [<!ENTITY l0 "ha">${lines}]><w:document xmlns:w="${main}"><w:body><w:p><w:r><w:t>&l9;</w:t></w:r></w:p></w:body></w:document>`;
      const book = zipFile({ 'word/document.xml': Buffer.from(xml, encoding) });
      const found = await read('word', book);
      expect(found.ok ? Buffer.byteLength(found.texts.join('')) : 0).toBeLessThan(1_000);
      const sheet = `<!--${' '.repeat(9_000)}--><row r="1"><c r="A1" t="inlineStr"><is><t>&l9;</t></is></c></row>`;
      expect(isBounded('excel', await read('excel', excelFile({ A: [] }, sheet)))).toBe(true);
    },
    60_000,
  );

  it('of one line of 30 MB is cut or refused, and the reader answers', async () => {
    expect(isBounded('csv', await read('csv', Buffer.from('a,'.repeat(15_000_000))))).toBe(true);
    expect(isBounded('csv', await read('csv', Buffer.alloc(30_000_000, 0x61)))).toBe(true);
  }, 300_000);

  // Bug: empty cells took a byte each of the limit, and their marks made ten times the most text.
  it('of 600,000 empty cells is cut where its marks fill the text', async () => {
    const cells = Array.from({ length: 600_000 }, () => '{"cell_type":"code","source":""}').join(',');
    const found = await read('notebook', Buffer.from(`{"nbformat":4,"cells":[${cells}]}`));
    expect(isBounded('notebook', found)).toBe(true);
  }, 300_000);

  it('with 200,000 tables in each other is read or refused', async () => {
    const main = 'http://schemas.openxmlformats.org/wordprocessingml/2006/main';
    const deep = `${'<w:tbl><w:tr><w:tc>'.repeat(200_000)}<w:p/>${'</w:tc></w:tr></w:tbl>'.repeat(200_000)}`;
    const raw = `<w:document xmlns:w="${main}"><w:body>${deep}</w:body></w:document>`;
    expect(isBounded('word', await read('word', wordFile([], raw)))).toBe(true);
  }, 300_000);
});

function projectOf(name: string): { readonly folder: string; readonly files: SandboxFiles } {
  const folder = join(home, name);
  mkdirSync(join(folder, 'docs'), { recursive: true });
  return { folder, files: createReadOnlySandbox({ workspacePath: folder, because: null }).files };
}

function searchIn(name: string, programs = base.programs) {
  const readDocument = createDocumentReader(base);
  return createSearchDocuments({
    ...base,
    programs,
    readDocument,
    indexPath: join(home, `${name}.sqlite`),
    now: () => 0,
  });
}

describe('the search of a hostile folder', () => {
  it('finds files with names of all scripts, and follows no link in a circle', async () => {
    const { folder, files } = projectOf('names');
    const names = [
      'größe',
      'план',
      'תוכנית',
      'خطة',
      '計画',
      'แผน',
      'योजना',
      '🙂 a\tb',
      'e\u0301',
      '\u202Eevil',
      'a\nb',
      '-rf',
      "q'uote",
    ];
    for (const [at, name] of names.entries())
      writeFileSync(join(folder, 'docs', `${name}.md`), `# Plan\n\nWord${at} here.\n`);
    symlinkSync('..', join(folder, 'docs', 'up'));
    symlinkSync('loop.md', join(folder, 'docs', 'loop.md'));
    const search = searchIn('names');
    for (const [at, name] of names.entries()) {
      const found = await search(files, { words: `word${at}`, limit: 3 }, never);
      expect(found.ok ? found.value.chunks.map(({ path }) => path) : found.error.message).toEqual([`docs/${name}.md`]);
      expect(found.ok && found.value.documents).toBe(names.length);
    }
  }, 180_000);

  /** Catches: a table of one line that fills all memory before anybody looks at its size. */
  it('leaves out a file of 1 GB in one line, by its size alone', async () => {
    const { folder, files } = projectOf('huge');
    writeFileSync(join(folder, 'docs', 'small.csv'), 'pump,24 volts\n');
    for (const name of ['huge.csv', 'huge.pdf']) {
      writeFileSync(join(folder, 'docs', name), 'pump,');
      truncateSync(join(folder, 'docs', name), 1_000_000_000);
    }
    const asked: (readonly string[])[] = [];
    const noted: Pick<SandboxFiles, 'scan' | 'read' | 'readMany'> = {
      ...files,
      readMany: (paths, options, signal) => {
        asked.push(paths);
        return files.readMany(paths, options, signal);
      },
    };
    const found = await searchIn('huge')(noted, { words: 'pump', limit: 5 }, never);
    expect(found).toMatchObject({ ok: true, value: { documents: 1, chunks: [{ path: 'docs/small.csv' }] } });
    expect(asked.flat()).toEqual(['docs/small.csv']);
    expect(await files.read('docs/huge.csv', {}, never)).toMatchObject({ ok: false, error: { code: 'too-large' } });
  }, 120_000);

  it('says that the index was killed, and the next search finds everything', async () => {
    const { folder, files } = projectOf('killed');
    for (let at = 0; at < 300; at += 1)
      writeFileSync(join(folder, 'docs', `${at}.md`), `# Page ${at}\n\nWord${at} here.\n`);
    let adds = 0;
    const children: ChildProcess[] = [];
    const programs: IndexOptions['programs'] = {
      start: (...given) => {
        const child = base.programs.start(...given);
        children.push(child);
        return child;
      },
    };
    const killing: SandboxFiles = {
      ...files,
      scan: (signal) => files.scan(signal),
      readMany: async (...asked) => {
        adds += 1;
        if (adds === 3) children.at(-1)?.kill('SIGKILL');
        return files.readMany(...asked);
      },
    };
    const search = searchIn('killed', programs);
    expect(await search(killing, { words: 'word299', limit: 1 }, never)).toMatchObject({ ok: false });
    expect(adds).toBeGreaterThanOrEqual(3);
    const found = await search(files, { words: 'word299', limit: 1 }, never);
    expect(found).toMatchObject({ ok: true, value: { left: 0, documents: 300, chunks: [{ path: 'docs/299.md' }] } });
  }, 120_000);

  // Bug: a file that was away for a moment, during a checkout, was never found again if it came back as it was.
  it('finds a file that was away while it was read, and came back as it was', async () => {
    const { folder, files } = projectOf('branches');
    const path = join(folder, 'docs', 'a.md');
    writeFileSync(path, '# Main\n\nThe pump of main.\n');
    utimesSync(path, 1_000, 1_000);
    const away: SandboxFiles = {
      ...files,
      scan: (signal) => files.scan(signal),
      readMany: async () => ({ ok: true, value: new Map() }),
    };
    const search = searchIn('branches');
    expect(await search(away, { words: 'pump', limit: 1 }, never)).toMatchObject({ ok: true, value: { chunks: [] } });
    const found = await search(files, { words: 'pump', limit: 1 }, never);
    expect(found).toMatchObject({ ok: true, value: { chunks: [{ path: 'docs/a.md' }] } });
    writeFileSync(path, '# Branch\n\nThe valve of the branch.\n');
    const other = await search(files, { words: 'pump valve', limit: 3 }, never);
    expect(other.ok ? other.value.chunks.map(({ title }) => title) : []).toEqual(['Branch']);
  }, 60_000);
});
