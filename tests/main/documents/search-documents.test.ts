import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { noVectorModel, type VectorProgress } from '@shared/documents/document-search.ts';
import type { DocumentText } from '@shared/documents/document-text.ts';
import { createDocumentReader, type ReadDocument } from '../../../src/main/documents/read-document.ts';
import {
  createSearchDocuments,
  hasDocuments,
  type SearchDocumentsOptions,
} from '../../../src/main/documents/search/search-documents.ts';
import type { IndexedFile } from '../../../src/main/documents/search/chunk-index.ts';
import { openIndex } from '../../../src/main/documents/search/index-client.ts';
import { createVectorWork } from '../../../src/main/documents/search/make-vectors.ts';
import type { TextVectors } from '../../../src/main/models/text-vectors.ts';
import { createHostPrograms } from '../../../src/main/lib/programs/host-programs.ts';
import type { SandboxFiles } from '../../../src/main/sandbox/sandbox.ts';
import type { ToolContext } from '../../../src/main/tools/define.ts';
import { builtInTools, discoverTools } from '../../../src/main/tools/registry.ts';
import { wordFile } from '../../fakes/office-files.ts';
import { pdfFile } from '../../fakes/pdf-file.ts';
import { createMemorySandbox } from '../../fakes/sandbox/memory-sandbox.ts';

const never = new AbortController().signal;
let home: string;
let options: SearchDocumentsOptions;

beforeAll(() => {
  home = mkdtempSync(join(tmpdir(), 'dewpoint-search-'));
  const programs = createHostPrograms({ home, env: process.env });
  const processPath = resolve('tests/fakes/document-child.mjs');
  const nodePath = process.execPath;
  const readDocument = createDocumentReader({ programs, nodePath, processPath });
  options = { programs, nodePath, processPath, readDocument, indexPath: join(home, 'a', 'index.sqlite'), now: () => 0 };
});

afterAll(() => rmSync(home, { recursive: true, force: true }));

const project = (): ReturnType<typeof createMemorySandbox> =>
  createMemorySandbox({
    files: {
      'docs/install.md': Buffer.from(
        '# Install\n\nRun the installer.\n\n## Proxy\n\nSet HTTPS_PROXY before the start.\n',
      ),
      'docs/größe.txt': Buffer.from('Die Größe des Puffers ist 4711 Byte.\n'),
      'report.pdf': pdfFile({ pages: [['Summary'], ['Revenue grew by 12 percent.']] }),
      'offer.docx': wordFile(['# Offer', 'The warranty lasts three years.']),
      'src/a.py': Buffer.from('warranty = 1\n'),
    },
  });

/** Counts what is read, so that a test sees that only changes are. */
function counted(files: SandboxFiles): { readonly files: SandboxFiles; readonly read: string[] } {
  const read: string[] = [];
  return {
    read,
    files: {
      ...files,
      scan: (signal) => files.scan(signal),
      readMany: (paths, how, signal) => {
        read.push(...paths);
        return files.readMany(paths, how, signal);
      },
    },
  };
}

const find = async (words: string, files = project().files, more: Partial<SearchDocumentsOptions> = {}) => {
  const found = await createSearchDocuments({ ...options, ...more })(files, { words, limit: 3 }, never);
  if (!found.ok) throw new Error(found.error.message);
  return found.value;
};

describe('the search of documents', () => {
  it('finds text, PDF and Word by words, with the line, the page and the title', async () => {
    const { chunks, documents, left } = await find('How long is the warranty?');
    expect({ documents, left }).toEqual({ documents: 4, left: 0 });
    expect(chunks.map(({ path, fromLine, title }) => [path, fromLine, title])).toEqual([['offer.docx', 1, 'Offer']]);
    expect((await find('revenue growth grew')).chunks[0]).toMatchObject({ path: 'report.pdf', fromLine: 4, page: 2 });
    expect((await find('große puffer')).chunks[0]?.path).toBe('docs/größe.txt');
    expect((await find('nothing of the kind exists')).chunks).toEqual([]);
    expect((await find('" OR NEAR( * :')).chunks).toEqual([]);
  }, 60_000);

  // Bug: a sentence without blanks was one word, so nothing in it was found.
  it('finds a word in a sentence of a language without blanks', async () => {
    const { files } = createMemorySandbox({
      files: {
        'ja.txt': Buffer.from('計算能力を確認する。コンピューターは新しい。\n'),
        'zh.md': Buffer.from('# 安装\n\n请先安装软件包 dewpoint2，然后重新启动计算机。\n'),
      },
    });
    const first = async (words: string): Promise<string | undefined> => (await find(words, files)).chunks[0]?.path;
    expect(await Promise.all(['能力', 'コンピューター', '重新启动', 'dewpoint2', '計'].map(first))).toEqual([
      'ja.txt',
      'ja.txt',
      'zh.md',
      'zh.md',
      'ja.txt',
    ]);
    expect(await first('如何安装这个软件？')).toBe('zh.md');
    expect(await first('力能')).toBeUndefined();
  });

  it('reads again only what changed, and forgets what is gone', async () => {
    const sandbox = project();
    const more = { indexPath: join(home, 'b.sqlite') };
    await find('proxy', sandbox.files, more);
    const { files, read } = counted(sandbox.files);
    expect((await find('proxy', files, more)).chunks[0]?.path).toBe('docs/install.md');
    expect(read).toEqual([]);
    await sandbox.files.write('docs/install.md', Buffer.from('# Install\n\nNo gateway.\n'), undefined, never);
    await sandbox.files.delete('offer.docx', undefined, never);
    expect((await find('proxy warranty', files, more)).chunks).toEqual([]);
    expect(read).toEqual(['docs/install.md']);
  }, 60_000);

  it('is made again from a damaged index', async () => {
    const indexPath = join(home, 'c.sqlite');
    writeFileSync(indexPath, 'This is no index. '.repeat(500));
    expect((await find('warranty', project().files, { indexPath })).chunks).toHaveLength(1);
  }, 60_000);

  it('says how much is left when the time is up, and goes on with the next search', async () => {
    const files = Object.fromEntries(
      Array.from({ length: 200 }, (_, at) => [`docs/${at}.md`, Buffer.from(`# Page ${at}\n\nword${at}\n`)]),
    );
    const sandbox = createMemorySandbox({ files });
    let time = 0;
    const more = { indexPath: join(home, 'd.sqlite'), now: () => (time += 1_000), budgetMs: 500 };
    expect((await find('word199', sandbox.files, more)).left).toBe(136);
    await find('word199', sandbox.files, more);
    await find('word199', sandbox.files, more);
    const last = await find('word199', sandbox.files, more);
    expect([last.left, last.chunks[0]?.path]).toEqual([0, 'docs/199.md']);
  }, 60_000);

  /** Catches: a PDF of which a busy machine read the first page only, and which nobody can find from then on. */
  it('reads a document again that took too long, and only once', async () => {
    const answers: DocumentText[] = [
      { ok: true, pages: 2, texts: ['First page.'] },
      { ok: true, pages: 2, texts: ['First page.', 'The warranty.'] },
    ];
    let asked = 0;
    const readDocument: ReadDocument = async () => answers[asked++] ?? { ok: false, why: 'too-hard' };
    const { files } = createMemorySandbox({ files: { 'a.pdf': pdfFile({ pages: [['x'], ['y']] }) } });
    const slow = { ...options, readDocument, indexPath: join(home, 'late.sqlite') };
    const search = createSearchDocuments(slow);
    const places = async (words: string): Promise<unknown> => {
      const found = await search(files, { words, limit: 3 }, never);
      return found.ok ? found.value.chunks.map(({ path }) => path) : found.error;
    };
    expect(await places('first')).toEqual(['a.pdf']);
    expect(await places('warranty')).toEqual(['a.pdf']);
    expect(await places('warranty')).toEqual(['a.pdf']);
    expect(asked).toBe(2);
    const hard = createMemorySandbox({ files: { 'b.pdf': pdfFile({ pages: [['z']] }) } });
    for (let time = 0; time < 3; time += 1) await search(hard.files, { words: 'z', limit: 3 }, never);
    expect(asked).toBe(4);
  }, 60_000);

  it('ends when it is cancelled', async () => {
    const stop = new AbortController();
    const search = createSearchDocuments(options)(project().files, { words: 'x', limit: 3 }, stop.signal);
    stop.abort();
    await expect(search).rejects.toThrow(/abort/iu);
  });
});

/** Vectors of three numbers: one for each thing that these texts are about, whatever the words. */
const meanings = [/warranty|guarantee|repair/iu, /proxy|gateway|https/iu, /revenue|sales|income/iu];

function meaningModel(): Pick<TextVectors, 'model' | 'read'> & { readonly asked: string[]; digest: string | null } {
  const asked: string[] = [];
  return {
    asked,
    digest: 'one',
    async model() {
      return this.digest === null ? { why: noVectorModel } : { model: { label: 'Made', digest: this.digest } };
    },
    read: async (texts) => {
      asked.push(...texts);
      return {
        ok: true,
        rows: texts.map((text) => {
          const vector = Float32Array.from(meanings, (meaning) => (meaning.test(text) ? 1 : 0.01));
          return Buffer.from(vector.buffer).toString('base64');
        }),
      };
    },
  };
}

/** Texts alone: no other process has to read them. */
const pages = (): ReturnType<typeof createMemorySandbox> =>
  createMemorySandbox({
    files: {
      'docs/install.md': Buffer.from('# Install\n\nSet HTTPS_PROXY before the start.\n'),
      'docs/report.md': Buffer.from('# Summary\n\nRevenue grew by 12 percent.\n'),
      'docs/offer.md': Buffer.from('# Offer\n\nThe warranty lasts three years.\n'),
    },
  });

describe('the search of documents by meaning', () => {
  const withVectors = (name: string, texts: Pick<TextVectors, 'model' | 'read'> = meaningModel()) => {
    const index = { ...options, indexPath: join(home, `${name}.sqlite`) };
    const work = createVectorWork({ texts, open: (signal) => openIndex(index, 0, signal) });
    const begun: (readonly IndexedFile[])[] = [];
    const begin = (files: readonly IndexedFile[]): void => void begun.push(files);
    const vectors = { prepare: work.prepare, makeAll: work.makeAll, begin };
    const all = async (): Promise<string | null> => work.makeAll(begun.at(-1) ?? [], () => undefined, never);
    return { more: { indexPath: index.indexPath, vectors }, work, begun, all };
  };

  it('goes by words until the vectors are made, says how far they are, and finds other words for the same then', async () => {
    const { more, all } = withVectors('meaning');
    const { files } = pages();
    const first = await find('guarantee period', files, more);
    expect([first.by, first.chunks]).toEqual([{ type: 'words-yet', model: 'Made', done: 0, of: 3 }, []]);
    expect(await all()).toBeNull();
    const then = await find('guarantee period', files, more);
    expect(then.by).toEqual({ type: 'meaning', model: 'Made', done: 3, of: 3 });
    expect(then.chunks[0]).toMatchObject({ path: 'docs/offer.md', fromLine: 1 });
    expect((await find('sales', files, more)).chunks[0]).toMatchObject({ path: 'docs/report.md' });
  }, 120_000);

  it('makes them before the search where it is told to wait', async () => {
    const { more } = withVectors('wait');
    const counts: number[] = [];
    const asked = {
      words: 'guarantee',
      limit: 3,
      onVectors: (at: VectorProgress): void => void counts.push(at.type === 'vectors' ? at.done : -1),
    };
    const found = await createSearchDocuments({ ...options, ...more })(pages().files, asked, never);
    expect(found).toMatchObject({ ok: true, value: { by: { type: 'meaning' } } });
    expect(found.ok && found.value.chunks[0]?.path).toBe('docs/offer.md');
    expect(counts).toEqual([0, 3]);
  }, 120_000);

  it('makes vectors only of what changed, and forgets those of what is gone', async () => {
    const texts = meaningModel();
    const { more, all } = withVectors('changed', texts);
    const sandbox = pages();
    await find('x', sandbox.files, more);
    await all();
    texts.asked.length = 0;
    await sandbox.files.write('docs/new.md', Buffer.from('# New\n\nSales in spring.\n'), undefined, never);
    await sandbox.files.delete('docs/offer.md', undefined, never);
    expect((await find('repair', sandbox.files, more)).by).toMatchObject({ type: 'words-yet', done: 2, of: 3 });
    await all();
    expect(texts.asked).toEqual(['# New\n\nSales in spring.']);
    const { chunks } = await find('repair', sandbox.files, more);
    expect(chunks.map(({ path }) => path)).not.toContain('docs/offer.md');
  }, 120_000);

  it('takes the part with two pieces that are near before one with a single such piece among others', async () => {
    const line = (words: string): string => `${words} ${'and so on '.repeat(40)}`;
    const { more, all } = withVectors('second');
    const { files } = createMemorySandbox({
      files: {
        'docs/a-once.md': Buffer.from([line('The warranty'), line('The rest')].join('\n')),
        'docs/b-twice.md': Buffer.from([line('The warranty'), line('This warranty')].join('\n')),
      },
    });
    await find('guarantee', files, more);
    await all();
    const { chunks } = await find('guarantee', files, more);
    expect(chunks.map(({ path }) => path)).toEqual(['docs/b-twice.md', 'docs/a-once.md']);
  }, 120_000);

  /** Catches: vectors of one model that are compared with the question of another. */
  it('makes vectors anew for another model, and says so where the model is gone', async () => {
    const texts = meaningModel();
    const { more, all } = withVectors('models', texts);
    const { files } = pages();
    await find('x', files, more);
    await all();
    texts.digest = 'two';
    expect((await find('guarantee', files, more)).by).toMatchObject({ type: 'words-yet', done: 0 });
    texts.digest = null;
    const { by, chunks } = await find('warranty', files, more);
    expect(by).toMatchObject({ type: 'words' });
    expect(chunks[0]?.path).toBe('docs/offer.md');
  }, 120_000);

  it('goes by words and says why where the model fails', async () => {
    const texts = { ...meaningModel(), model: async () => ({ model: { label: 'Made', digest: 'one' } }) };
    const broken = withVectors('broken', { ...texts, read: async () => ({ ok: false, why: 'No memory.' }) });
    const { files } = pages();
    await find('x', files, broken.more);
    expect(await broken.all()).toBe('No memory.');
    const { work, begun, more } = withVectors('broken', texts);
    await find('x', files, more);
    expect(await work.makeAll(begun[0] ?? [], () => undefined, never)).toBeNull();
    const { by, chunks } = await find('warranty', files, broken.more);
    expect([by, chunks[0]?.path]).toEqual([{ type: 'words', why: 'No memory.' }, 'docs/offer.md']);
  }, 120_000);

  /** Catches: a person who waited for vectors that cannot be made, and is told to wait for them. */
  it('says why to who waited for vectors that could not be made, and begins no other making then', async () => {
    const read: TextVectors['read'] = async () => ({ ok: false, why: 'No memory.' });
    const { more, begun } = withVectors('no memory', { ...meaningModel(), read });
    const asked = { words: 'warranty', limit: 3, onVectors: () => undefined };
    const found = await createSearchDocuments({ ...options, ...more })(pages().files, asked, never);
    expect(found).toMatchObject({ ok: true, value: { by: { type: 'words', why: 'No memory.' } } });
    expect(found.ok && found.value.chunks[0]?.path).toBe('docs/offer.md');
    expect(begun).toEqual([]);
  }, 120_000);

  /** Catches: one project that cannot be read by the model and takes the search by meaning from all others. */
  it('of a project goes on by meaning after the vectors of another failed, and says the reason once where it belongs', async () => {
    const texts = meaningModel();
    const { work, begun, more } = withVectors('two projects', {
      model: async () => ({ model: { label: 'Made', digest: 'one' } }),
      read: async (read, how, signal) =>
        how.use === 'text' && read.some((text) => /warranty|NEW/u.test(text))
          ? { ok: false, why: 'No memory.' }
          : texts.read(read, how, signal),
    });
    const good = createMemorySandbox({
      files: Object.fromEntries(
        Array.from({ length: 12 }, (_, at) => [`g/${at}.md`, Buffer.from(`# Page ${at}\n\nSales in spring ${at}.\n`)]),
      ),
    });
    await find('x', good.files, more);
    expect(await work.makeAll(begun.at(-1) ?? [], () => undefined, never)).toBeNull();
    await good.files.write('g/new.md', Buffer.from('# NEW\n\nA page.\n'), undefined, never);
    await find('x', pages().files, more);
    const bad = begun.at(-1) ?? [];
    work.begin(bad);
    // It comes after what runs.
    await work.makeAll([], () => undefined, never);
    const before = begun.length;
    expect((await find('income', good.files, more)).by).toEqual({ type: 'meaning', model: 'Made', done: 12, of: 13 });
    work.begin(begun[before] ?? []);
    await work.makeAll([], () => undefined, never);
    const after = begun.length;
    const again = await find('income', good.files, more);
    expect(again.by).toEqual({ type: 'meaning', model: 'Made', done: 12, of: 13, why: 'No memory.' });
    expect([again.chunks[0]?.title, begun.length]).toEqual([expect.stringMatching(/^Page/u), after]);
    const { prepare } = work;
    const index = openIndex({ ...options, ...more }, 0, never);
    await index.take(bad);
    const asked = { words: 'x', files: bad };
    expect((await prepare(index, asked, never)).by).toEqual({ type: 'words', why: 'No memory.' });
    expect((await prepare(index, asked, never)).by).toMatchObject({ type: 'words-yet' });
    index.close();
  }, 120_000);

  /** Catches: a question whose vector is made only after a whole list of parts. */
  it('gives the model one part at a time, so that a question comes in between', async () => {
    const texts = meaningModel();
    const sizes: number[] = [];
    const { more, all } = withVectors('one by one', {
      model: async () => ({ model: { label: 'Made', digest: 'one' } }),
      read: (read, how, signal) => {
        sizes.push(read.length);
        return texts.read(read, how, signal);
      },
    });
    await find('x', pages().files, more);
    await all();
    expect(sizes).toEqual([1, 1, 1]);
  }, 120_000);

  /** Catches: a person who cannot leave the line behind the vectors of another project. */
  it('ends when it is cancelled while another project has its turn, and says that it waits', async () => {
    const { files } = pages();
    const { work, begun, more } = withVectors('in line', {
      model: async () => ({ model: { label: 'Made', digest: 'one' } }),
      read: (_texts, _how, signal) =>
        new Promise((_, reject) => signal.addEventListener('abort', () => reject(new Error('aborted')))),
    });
    await find('x', files, more);
    work.begin(begun[0] ?? []);
    const stop = new AbortController();
    const said: VectorProgress[] = [];
    const waits = work.makeAll(begun[0] ?? [], (progress) => void said.push(progress), stop.signal);
    stop.abort();
    await expect(waits).rejects.toThrow(/abort/iu);
    expect(said).toEqual([{ type: 'waiting' }]);
    await work.dispose();
  }, 20_000);

  it('ends when it is cancelled', async () => {
    const { files } = pages();
    const stop = new AbortController();
    const waiting = withVectors('waits', {
      model: async () => ({ model: { label: 'Made', digest: 'one' } }),
      read: (_texts, _how, signal) =>
        new Promise((_, reject) => {
          signal.addEventListener('abort', () => reject(new Error('aborted')));
          stop.abort();
        }),
    });
    await find('x', files, waiting.more);
    await expect(waiting.work.makeAll(waiting.begun[0] ?? [], () => undefined, stop.signal)).rejects.toThrow(/abort/iu);
    await waiting.work.dispose();
  }, 120_000);

  it('makes them in the background after a search, and stops with the program', async () => {
    const { work, begun, more } = withVectors('background');
    const { files } = pages();
    await find('x', files, more);
    work.begin(begun[0] ?? []);
    await expect
      .poll(async () => (await find('guarantee', files, more)).by, { timeout: 30_000 })
      .toMatchObject({ type: 'meaning', done: 3 });
    await work.dispose();
    work.begin(begun[0] ?? []);
  }, 120_000);
});

describe('the search_documents tool', () => {
  it('shows places that can be cited, with the paths for the fences', async () => {
    const tools = builtInTools(discoverTools(), { now: () => 0, searchDocuments: createSearchDocuments(options) });
    const tool = tools.find(({ name }) => name === 'search_documents');
    const shelf = createMemorySandbox({ files: { 'old.md': Buffer.from('# Revenue\n\nThe revenue of old.\n') } });
    const chosen = [{ name: 'shelf', files: shelf.files, isLeftOut: () => false }];
    const contextWith = (facts: object): ToolContext =>
      ({ sandbox: project(), signal: never, facts }) as unknown as ToolContext;
    const beside = await tool?.run({ words: 'revenue' }, contextWith({ openChosenFolders: async () => chosen }));
    expect(beside?.output).toContain('shelf/old.md:1 (Revenue)');
    expect(beside?.data).toMatchObject({ matches: expect.arrayContaining([{ path: 'shelf/old.md', line: 1 }]) });
    const result = await tool?.run({ words: 'revenue' }, contextWith({}));
    expect(result?.output).toContain('report.pdf:4, page 2\n  4: [Page 2 of 2]\n  5: Revenue');
    expect(result?.data).toEqual({ matches: [{ path: 'report.pdf', line: 4 }] });
    expect(tool?.needs).toBe('documents');
    const lines = Array.from({ length: 40 }, (_, at) => (at === 30 ? '計算能力を確認する。' : '前書きの行。'));
    const japanese = createMemorySandbox({ files: { 'ja.md': Buffer.from(lines.join('\n')) } });
    const found = await tool?.run({ words: '能力' }, { ...contextWith({}), sandbox: japanese });
    expect(found?.output).toContain('31: 計算能力を確認する。');
  }, 30_000);
});

describe('a project of documents', () => {
  it('has some that no text search reads, or many texts', () => {
    expect(hasDocuments(['a.py', 'README.md', 'n.ipynb'])).toBe(false);
    expect(hasDocuments(['deep/er/a.pdf'])).toBe(true);
    expect(hasDocuments(Array.from({ length: 12 }, (_, at) => `d/${at}.md`))).toBe(true);
  });
});
