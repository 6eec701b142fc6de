import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { deflateSync, inflateSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createPageDrawer, type DrawnPage } from '../../../src/main/documents/read-document.ts';
import type { DocumentReaderOptions } from '../../../src/main/documents/run-parser.ts';
import { createHostPrograms } from '../../../src/main/lib/programs/host-programs.ts';
import type { ToolContext } from '../../../src/main/tools/define.ts';
import { builtInTools, discoverTools } from '../../../src/main/tools/registry.ts';
import { pdfFile } from '../../fakes/pdf-file.ts';
import { createMemorySandbox } from '../../fakes/sandbox/memory-sandbox.ts';

let home: string;
let options: DocumentReaderOptions;

beforeAll(() => {
  home = mkdtempSync(join(tmpdir(), 'dewpoint-pages-'));
  const programs = createHostPrograms({ home, env: process.env });
  const processPath = resolve('tests/fakes/document-child.mjs');
  options = { programs, nodePath: process.execPath, processPath };
});

afterAll(() => rmSync(home, { recursive: true, force: true }));

const draw = (bytes: Uint8Array, page = 1): Promise<DrawnPage> => createPageDrawer(options)(bytes, { page });
const packed = (content: string): Uint8Array => deflateSync(Buffer.from(content));
/** Above red, below white. */
const halves = pdfFile({ pages: [[]], content: packed('1 0 0 rg 0 396 612 396 re f') });

/** The red, green and blue of a point. */
function pointOf(drawn: DrawnPage, x: number, y: number): readonly number[] {
  if (!drawn.ok) throw new Error(drawn.why);
  const png = Buffer.from(drawn.png);
  const at = png.indexOf('IDAT');
  const rows = inflateSync(png.subarray(at + 4, at + 4 + png.readUInt32BE(at - 4)));
  const from = y * (drawn.width * 3 + 1) + 1 + x * 3;
  return [...rows.subarray(from, from + 3)];
}

describe('a page of a PDF', { timeout: 120_000 }, () => {
  it('is drawn as a picture that models take, in its colors', async () => {
    const drawn = await draw(halves);
    expect(drawn).toMatchObject({ ok: true, pages: 1, width: 1212, height: 1568 });
    expect([pointOf(drawn, 600, 100), pointOf(drawn, 600, 1500)]).toEqual([
      [255, 0, 0],
      [255, 255, 255],
    ]);
    const text = await draw(pdfFile({ pages: [['one'], ['two']] }), 2);
    expect(text).toMatchObject({ ok: true, pages: 2 });
  });

  it('is not drawn where there is none, or the file is locked or broken', async () => {
    expect(await draw(halves, 2)).toEqual({ ok: false, why: 'no-page', pages: 1 });
    expect(await draw(pdfFile({ pages: [['x']], isEncrypted: true }))).toEqual({ ok: false, why: 'encrypted' });
    expect(await draw(Buffer.from('%PDF-1.7\nnothing of it is left'))).toEqual({ ok: false, why: 'broken' });
  });

  it('is no larger for a page of any size, and runs no script of its file', async () => {
    const catalog = '/OpenAction << /S /JavaScript /JS (while (true) {}) >>';
    for (const size of [
      [1e9, 1e9],
      [14_400, 14_400],
      [1, 100_000],
      [0.001, 0.001],
      [-10, -10],
    ] as const) {
      const drawn = await draw(pdfFile({ pages: [['x']], size, catalog }));
      expect(drawn, String(size)).toMatchObject({ ok: true });
      if (drawn.ok) expect(Math.max(drawn.width, drawn.height)).toBeLessThanOrEqual(1568);
    }
  });

  it('is given up when it takes too long, unpacks to far too much, or is cancelled', async () => {
    const late = createPageDrawer({ ...options, mostProcessorMs: 6_000 });
    const endless = pdfFile({ pages: [[]], content: packed('0 0 m 600 700 100 900 300 20 c S\n'.repeat(3_000_000)) });
    expect(await late(endless, { page: 1 })).toEqual({ ok: false, why: 'too-hard' });
    const stop = new AbortController();
    const running = createPageDrawer(options)(halves, { page: 1, signal: stop.signal });
    stop.abort();
    expect(await running).toEqual({ ok: false, why: 'too-hard' });
    expect(await draw(halves)).toMatchObject({ ok: true });
  });
});

describe('the tool that shows a page', { timeout: 120_000 }, () => {
  const files = { 'a.pdf': halves, 'a.txt': Buffer.from('text') };
  const run = async (input: object, seesImages = true) => {
    const tools = builtInTools(discoverTools(), { now: () => 0, drawPage: createPageDrawer(options) });
    const tool = tools.find(({ name }) => name === 'show_page');
    const context = {
      sandbox: createMemorySandbox({ files }),
      signal: new AbortController().signal,
      facts: { seesImages },
    } as unknown as ToolContext;
    return tool?.run(input, context);
  };

  it('gives the picture to a model that sees pictures, and tells another who could read it', async () => {
    const shown = await run({ path: 'a.pdf', page: 1 });
    expect(shown).toMatchObject({ status: 'ok', pictures: [{ mediaType: 'image/png', width: 1212, height: 1568 }] });
    expect(shown?.output).toBe('Page 1 of 1 of a.pdf, a picture of 1212 × 1568. Cite it as a.pdf, page 1.');
    const blind = await run({ path: 'a.pdf', page: 1 }, false);
    expect(blind).toMatchObject({ status: 'error', output: expect.stringContaining('a model that sees pictures') });
    expect(blind).not.toHaveProperty('pictures');
  });

  it('says what is wrong with the file or the number', async () => {
    expect((await run({ path: 'a.pdf', page: 9 }))?.output).toBe('a.pdf has 1 page; there is no page 9.');
    expect((await run({ path: 'a.txt', page: 1 }))?.output).toContain('a.txt is not a PDF.');
    expect(await run({ path: 'none.pdf', page: 1 })).toMatchObject({ status: 'error' });
  });
});
