import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { DocumentText } from '@shared/documents/document-text.ts';
import { createDocumentReader, type ReadDocument } from '../../../src/main/documents/read-document.ts';
import {
  createSearchDocuments,
  hasDocuments,
  type SearchDocumentsOptions,
} from '../../../src/main/documents/search/search-documents.ts';
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
  const processPath = resolve('src/main/documents/document-process.ts');
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
    expect((await find('revenue growth grew')).chunks[0]).toMatchObject({ path: 'report.pdf', fromLine: 1, page: 1 });
    expect((await find('große puffer')).chunks[0]?.path).toBe('docs/größe.txt');
    expect((await find('nothing of the kind exists')).chunks).toEqual([]);
    expect((await find('" OR NEAR( * :')).chunks).toEqual([]);
  }, 60_000);

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

describe('the search_documents tool', () => {
  it('shows places that can be cited, with the paths for the fences', async () => {
    const tools = builtInTools(discoverTools(), { now: () => 0, searchDocuments: createSearchDocuments(options) });
    const tool = tools.find(({ name }) => name === 'search_documents');
    const context = { sandbox: project(), signal: never } as unknown as ToolContext;
    const result = await tool?.run({ words: 'revenue' }, context);
    expect(result?.output).toContain('report.pdf:1, page 1\n  1: [Page 1 of 2]\n  2: Summary');
    expect(result?.data).toEqual({ matches: [{ path: 'report.pdf', line: 1 }] });
    expect(tool?.needs).toBe('documents');
  }, 30_000);
});

describe('a project of documents', () => {
  it('has some that no text search reads, or many texts', async () => {
    const has = (files: Record<string, Buffer>) => hasDocuments(createMemorySandbox({ files }).files, never);
    const text = Buffer.from('x');
    expect(await has({ 'a.py': text, 'README.md': text, 'n.ipynb': text })).toBe(false);
    expect(await has({ 'deep/er/a.pdf': text })).toBe(true);
    expect(await has(Object.fromEntries(Array.from({ length: 12 }, (_, at) => [`d/${at}.md`, text])))).toBe(true);
  });
});
