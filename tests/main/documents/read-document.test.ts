import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { deflateSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createHostPrograms } from '../../../src/main/lib/programs/host-programs.ts';
import { createDocumentReader } from '../../../src/main/documents/read-document.ts';
import type { DocumentReaderOptions } from '../../../src/main/documents/run-parser.ts';
import { pdfFile } from '../../fakes/pdf-file.ts';

let home: string;
let options: DocumentReaderOptions;

beforeAll(() => {
  home = mkdtempSync(join(tmpdir(), 'dewpoint-documents-'));
  const programs = createHostPrograms({ home, env: process.env });
  const processPath = resolve('tests/fakes/document-child.mjs');
  options = { programs, nodePath: process.execPath, processPath };
});

afterAll(() => rmSync(home, { recursive: true, force: true }));

const read = (bytes: Uint8Array) => createDocumentReader(options)(bytes, { kind: 'pdf' });
const pages = [['Invoice 4711', 'Total (net): 1,234.50 EUR'], ['Terms']];

describe('the text of a PDF', () => {
  it('comes page by page, from plain and from packed content', async () => {
    const found = { ok: true, pages: 2, texts: ['Invoice 4711\nTotal (net): 1,234.50 EUR', 'Terms'] };
    expect(await read(pdfFile({ pages }))).toEqual(found);
    expect(await read(pdfFile({ pages, isCompressed: true }))).toEqual(found);
  });

  it('is empty for scanned pages, and refused for a locked or broken file', async () => {
    expect(await read(pdfFile({ pages: [[], []] }))).toEqual({ ok: true, pages: 2, texts: ['', ''] });
    expect(await read(pdfFile({ pages, isEncrypted: true }))).toEqual({ ok: false, why: 'encrypted' });
    expect(await read(Buffer.from('%PDF-1.7\nnothing of it is left'))).toEqual({ ok: false, why: 'broken' });
  });

  it('is cut to what a message can hold', async () => {
    const line = 'Words of a long report. '.repeat(4);
    const long = Array.from({ length: 400 }, () => Array.from({ length: 45 }, () => line));
    const found = await read(pdfFile({ pages: long, isCompressed: true }));
    expect(found).toMatchObject({ ok: true, pages: 400 });
    expect(found.ok ? found.texts.length : 0).toBeLessThan(90);
  });

  it('is not read from a file that unpacks to far more than its size', async () => {
    const bomb = deflateSync(Buffer.alloc(700 * 1024 * 1024, '(x) Tj '), { level: 1 });
    const reader = createDocumentReader({ ...options, mostProcessorMs: 6_000 });
    expect(await reader(pdfFile({ pages: [['x']], content: bomb }), { kind: 'pdf' })).toEqual({
      ok: false,
      why: 'too-hard',
    });
    expect(await read(pdfFile({ pages }))).toMatchObject({ ok: true });
  }, 120_000);

  it('is refused when its process cannot be started', async () => {
    const reader = createDocumentReader({ ...options, nodePath: '/nowhere/node' });
    expect(await reader(pdfFile({ pages }), { kind: 'pdf' })).toEqual({ ok: false, why: 'no-reader' });
  });
});

describe('the text of a web page', () => {
  const url = 'https://docs.example.org/';

  it('is Markdown with full addresses', async () => {
    const html = '<title>T</title><article><p>Read <a href="/more">more</a> of what stands here.</p></article>';
    const found = await createDocumentReader(options)(Buffer.from(html), { kind: 'page', url });
    expect(found).toMatchObject({ ok: true, pages: 1 });
    expect(found.ok ? found.texts[0] : '').toContain('[more](https://docs.example.org/more)');
  });

  // Bug: on a busy machine, a document that takes two seconds to read counts as too hard.
  it.runIf(process.platform === 'linux')(
    'is read on a machine that lets the reader wait',
    async () => {
      const programs: DocumentReaderOptions['programs'] = {
        start: (...given) => {
          const child = options.programs.start(...given);
          child.kill('SIGSTOP');
          setTimeout(() => child.kill('SIGCONT'), 6_500);
          return child;
        },
      };
      const reader = createDocumentReader({ ...options, programs, mostProcessorMs: 6_000 });
      const page = Buffer.from('<title>T</title><article><p>Words of a page.</p></article>');
      expect(await reader(page, { kind: 'page', url })).toMatchObject({ ok: true });
    },
    60_000,
  );

  // Bug: a page with endless nesting keeps the reader busy for minutes.
  it('is given up when it takes too long or is cancelled', async () => {
    const deep = Buffer.from('<div>'.repeat(20_000));
    const reader = createDocumentReader({ ...options, mostProcessorMs: 1_000 });
    expect(await reader(deep, { kind: 'page', url })).toEqual({ ok: false, why: 'too-hard' });
    const stop = new AbortController();
    const running = createDocumentReader(options)(deep, { kind: 'page', url, signal: stop.signal });
    stop.abort();
    expect(await running).toEqual({ ok: false, why: 'too-hard' });
  });
});
