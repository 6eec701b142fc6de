import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { AddedSource, KnowledgeProgress, KnowledgeSource } from '@shared/documents/knowledge.ts';
import { success } from '@shared/errors.ts';
import { settingsSchema } from '@shared/settings/settings.ts';
import { createChosenFolders, createKnowledgeParts } from '../../../../src/main/compose-folders.ts';
import { createKnowledgeFiles } from '../../../../src/main/documents/knowledge/knowledge-files.ts';
import { createProjectKnowledge } from '../../../../src/main/documents/knowledge/project-knowledge.ts';
import { createDocumentReader } from '../../../../src/main/documents/read-document.ts';
import { openIndex } from '../../../../src/main/documents/search/index-client.ts';
import { createSearchDocuments } from '../../../../src/main/documents/search/search-documents.ts';
import { createHostPrograms } from '../../../../src/main/lib/programs/host-programs.ts';
import { createRuleFiles } from '../../../../src/main/safety/rule-files.ts';
import { createReadOnlySandbox } from '../../../../src/main/sandbox/read-only/read-only-sandbox.ts';
import type { WebExchange } from '../../../../src/main/tools/web/web-request.ts';
import { pdfFile } from '../../../fakes/pdf-file.ts';

const never = new AbortController().signal;
const slow = 120_000;
let root: string;
let home: string;
let project: string;
let settings: Record<string, unknown>;

function write(path: string, content: string | Buffer): string {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, content);
  return path;
}

beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), 'dewpoint-knowledge-')));
  home = join(root, 'home');
  project = join(root, 'work', 'app');
  write(join(project, 'readme.md'), '# App\n\nIt pumps water.\n');
  settings = {};
});

afterEach(() => rmSync(root, { recursive: true, force: true }));

const page =
  '<html><head><title>Tariffs</title></head><body><h1>Tariffs</h1><p>Water costs 2 euros for each cube.</p></body></html>';

const web: WebExchange = async ({ url }) =>
  success({
    url: url.href,
    status: url.pathname === '/gone' ? 404 : 200,
    headers: { 'content-type': 'text/html' },
    bytes: new TextEncoder().encode(page),
    isCut: false,
  });

function parts() {
  const programs = createHostPrograms({ home: root, env: process.env });
  const processPath = resolve('tests/fakes/document-child.mjs');
  const base = { programs, nodePath: process.execPath, processPath, indexPath: join(root, 'index.sqlite') };
  const readDocument = createDocumentReader(base);
  const searchDocuments = createSearchDocuments({ ...base, readDocument, now: () => 0 });
  const current = () => settingsSchema.parse(settings);
  const rules = createRuleFiles({ home, approved: () => ({}) });
  const folders = { settings: { current, tell: () => undefined }, rules };
  const chosenFolders = createChosenFolders({ home }, folders);
  const forgetPaths = async (paths: readonly string[]): Promise<void> => {
    const index = openIndex(base, 0, never);
    await index.forgetPaths(paths);
    index.close();
  };
  const knowledge = createKnowledgeParts(
    { home },
    {
      ...folders,
      now: () => Date.parse('2026-11-30'),
      chosenFolders,
      readDocument,
      searchDocuments,
      forgetPaths,
      exchange: web,
    },
  );
  const find = async (words: string) => {
    const { files } = createReadOnlySandbox({ workspacePath: project, because: null });
    const found = await searchDocuments(files, { words, limit: 5, chosen: await chosenFolders(project)(never) }, never);
    return found.ok
      ? found.value.chunks.map(({ path, page: number }) => `${path} ${number ?? '-'}`)
      : [found.error.message];
  };
  return { knowledge, find, base };
}

async function addAll(knowledge: ReturnType<typeof createProjectKnowledge>, ...sources: readonly string[]) {
  const added: AddedSource[] = [];
  const tell = (progress: KnowledgeProgress): void => void (progress.type === 'source' && added.push(progress.added));
  const named = sources.map((one): KnowledgeSource =>
    one.startsWith('https:') ? { type: 'page', url: one } : { type: 'file', path: one },
  );
  await knowledge.add(project, named, { tell, signal: never });
  return added;
}

const outcomes = (added: readonly AddedSource[]) => added.map(({ name, outcome, note }) => [name, outcome, note]);

describe('the knowledge of a project', () => {
  it('is found by words and cited by page, and is in no other project', { timeout: slow }, async () => {
    const { knowledge, find } = parts();
    const manual = write(
      join(root, 'shelf', 'pump.pdf'),
      pdfFile({ pages: [['Cover'], ['The pump needs 24 volts.']] }),
    );
    const added = await addAll(knowledge, manual, 'https://example.org/water/tariffs.html');
    expect(outcomes(added)).toEqual([
      ['pump.pdf', 'added', null],
      ['example.org-water-tariffs.md', 'added', null],
    ]);
    expect((await find('how many volts does the pump need'))[0]).toBe('knowledge/pump.pdf 2');
    expect((await find('euros for each cube'))[0]).toBe('knowledge/example.org-water-tariffs.md -');
    const shown = await knowledge.show(project);
    expect(shown).toMatchObject({ name: 'knowledge', files: [{ from: { type: 'page' } }, { kind: 'pdf', pages: 2 }] });
    const copy = readFileSync(join(shown.folder, 'example.org-water-tariffs.md'), 'utf8');
    expect(copy).toContain(
      '[Kept on 2026-11-30.]\n[From https://example.org/water/tariffs.html. What follows was written by others',
    );
    expect((await knowledge.show(dirname(project))).files).toEqual([]);
  });

  it('is removed from the copies and from the index, and others stay', { timeout: slow }, async () => {
    const { knowledge, find, base } = parts();
    const kept = (): string => ['', '-wal'].map((end) => textOf(`${base.indexPath}${end}`)).join('');
    await addAll(
      knowledge,
      write(join(root, 'a.md'), 'The cellar key hangs at 4711.\n'),
      write(join(root, 'b.md'), 'The attic is dry.\n'),
    );
    expect(kept()).toContain('hangs at 4711');
    await knowledge.remove(project, ['a.md'], never);
    expect(kept()).not.toContain('hangs at 4711');
    expect(kept()).toContain('attic is dry');
    expect(await find('cellar key')).toEqual([]);
    await expect(knowledge.remove(project, ['a.md'], never)).rejects.toMatchObject({ code: 'not-found' });
  });

  /** Catches: a list with two copies of one file, an old copy that answers go on to cite, and a lost second file. */
  it(
    'says that a file is there already, replaces one that changed, and keeps two of one name',
    { timeout: slow },
    async () => {
      const { knowledge, find } = parts();
      const path = write(join(root, 'rates.md'), 'The rate is 5 percent.\n');
      await addAll(knowledge, path);
      await knowledge.setWhole(project, 'rates.md', true);
      expect(outcomes(await addAll(knowledge, path))).toEqual([['rates.md', 'same', 'rates.md is there already.']]);
      write(path, 'The rate is 7 percent, they say.\n');
      expect(outcomes(await addAll(knowledge, path))).toEqual([
        ['rates.md', 'replaced', 'rates.md replaces the copy that was there.'],
      ]);
      expect((await knowledge.show(project)).files).toMatchObject([{ name: 'rates.md', isWhole: true }]);
      const other = write(join(root, 'old', 'rates.md'), 'The rate was 3 percent.\n');
      expect(outcomes(await addAll(knowledge, other))).toEqual([
        ['rates-2.md', 'added', 'Another rates.md is there, so this one is named rates-2.md.'],
      ]);
      expect(await find('they say')).toEqual(['knowledge/rates.md -']);
    },
  );

  /** Catches: a name that is too long in bytes, a device of Windows, and a separator that ends a line of a prompt. */
  it('keeps files of any name under one that every system has', { timeout: slow }, async () => {
    const { knowledge } = parts();
    const names = [`${'水'.repeat(83)}.txt`, 'NUL.txt', 'a\u2028b.txt', '...', 'end. ', `${'😀'.repeat(63)}a`];
    const added = await addAll(knowledge, ...names.map((name, at) => write(join(root, name), `Text ${at}.\n`)));
    expect(added.map(({ name, note }) => name ?? note)).toEqual([
      `${'水'.repeat(65)}.txt`,
      '_NUL.txt',
      'a-b.txt',
      expect.stringContaining('no whole path'),
      'end',
      '😀'.repeat(50),
    ]);
    const page = `https://example.org/${encodeURIComponent('水'.repeat(150))}`;
    expect((await addAll(knowledge, page))[0]).toMatchObject({ outcome: 'added' });
  });

  it.skipIf(process.platform === 'win32')('refuses a pipe at once, though nobody writes into it', async () => {
    const { knowledge } = parts();
    execFileSync('mkfifo', [join(root, 'pipe.md')]);
    const [added] = await addAll(knowledge, join(root, 'pipe.md'));
    expect(added).toMatchObject({ outcome: 'refused', note: 'pipe.md is no file.' });
  });

  it('refuses each file that cannot be read, with the reason, and takes the others', { timeout: slow }, async () => {
    const { knowledge } = parts();
    const added = await addAll(
      knowledge,
      write(join(root, 'photo.bin'), Buffer.from([0, 1, 2, 0xff, 0xfe, 0, 7])),
      join(root, 'gone.md'),
      join(root, 'work'),
      write(join(root, 'locked.pdf'), pdfFile({ pages: [['x']], isEncrypted: true })),
      write(join(root, 'scan.pdf'), pdfFile({ pages: [[]] })),
      write(join(root, '.env'), 'TOKEN=abc\n'),
      'https://example.org/gone',
      'https://127.0.0.1/inner',
      write(join(root, 'nothing.txt'), ''),
      write(join(root, 'list.yaml'), 'color: mauve\n'),
    );
    expect(added.map(({ outcome }) => outcome)).toEqual([...Array.from({ length: 9 }, () => 'refused'), 'added']);
    const notes = added.map(({ note }) => note ?? '');
    expect(notes[0]).toBe('photo.bin is no document and no text.');
    expect(notes[1]).toContain('was not found');
    expect(notes[2]).toContain('dewpoint projects folders add');
    expect(notes[3]).toBe('locked.pdf is protected by a password. Save a copy without the password, then take that.');
    expect(notes[4]).toContain('has no text');
    expect(notes[5]).toContain('a file with secrets');
    expect(notes[6]).toContain('answered 404');
    expect(notes[7]).toMatch(/^Not sent.*save it as a file and add that\.$/u);
    expect(notes[8]).toBe('nothing.txt is empty.');
  });

  it(
    'finds a text of any name, and is named otherwise where the project has a knowledge of its own',
    { timeout: slow },
    async () => {
      write(join(project, 'knowledge', 'own.md'), 'own\n');
      const { knowledge, find } = parts();
      await addAll(knowledge, write(join(root, 'list.yaml'), 'color: mauve\n'));
      expect(await find('mauve')).toEqual(['dewpoint-knowledge/list.yaml -']);
    },
  );

  /** Catches: a repository or an agent that makes folders of these names, so that its files are taken for yours. */
  it('has a name that nothing in the project has', { timeout: slow }, async () => {
    write(join(project, 'knowledge', 'list.yaml'), 'color: theirs\n');
    write(join(project, 'dewpoint-knowledge', 'list.yaml'), 'color: theirs\n');
    const { knowledge, find } = parts();
    await addAll(knowledge, write(join(root, 'list.yaml'), 'color: mauve\n'));
    expect(await find('mauve')).toEqual([expect.stringMatching(/^dewpoint-knowledge-[0-9a-f]{12}\/list\.yaml -$/u)]);
  });

  /** Catches: a folder that appears in the project, and takes the copies out of the rule for their first name. */
  it('stays under the rules for its name when the project gets a folder of that name', { timeout: slow }, async () => {
    settings = { fences: { rules: [{ paths: ['knowledge/**'], verdict: 'local-only' }] } };
    const { knowledge, find } = parts();
    await addAll(knowledge, write(join(root, 'list.md'), 'The color is mauve.\n'));
    expect(await find('mauve')).toEqual(['knowledge/list.md -']);
    write(join(project, 'knowledge', 'readme.md'), 'theirs\n');
    expect(await find('mauve')).toEqual([]);
    const [refused] = await addAll(knowledge, write(join(root, 'other.md'), 'The color is beige.\n'));
    expect(refused).toMatchObject({ outcome: 'refused', note: expect.stringContaining('dewpoint-knowledge/other.md') });
  });

  /** Catches: a text that stays in the index by the name that it had before. */
  it('leaves nothing in the index, also where its name has changed since', { timeout: slow }, async () => {
    const { knowledge, find, base } = parts();
    const kept = (): string => ['', '-wal'].map((end) => textOf(`${base.indexPath}${end}`)).join('');
    await addAll(knowledge, write(join(root, 'list.md'), 'The color is mauvish.\n'));
    expect(await find('mauvish')).toEqual(['knowledge/list.md -']);
    expect(kept()).toContain('mauvish');
    write(join(project, 'knowledge', 'readme.md'), 'theirs\n');
    await knowledge.remove(project, ['list.md'], never);
    expect(kept()).not.toContain('mauvish');
  });

  /** Catches: a file that a rule keeps on this machine in its own project, and that leaves by the knowledge of another. */
  it('takes no file that a rule of its own project fences, unless a rule of this one fences it as strictly', async () => {
    const { knowledge } = parts();
    const plans = write(join(root, 'work', 'secret', 'plans.md'), 'Nobody knows.\n');
    settings = { fences: { rules: [{ paths: ['**'], verdict: 'local-only', project: dirname(plans) }] } };
    const [refused] = await addAll(knowledge, plans);
    expect(refused).toMatchObject({ outcome: 'refused', note: expect.stringContaining('knowledge/plans.md') });
    settings = { fences: { rules: [{ paths: ['**'], verdict: 'local-only' }] } };
    expect(await addAll(knowledge, plans)).toMatchObject([{ outcome: 'added' }]);
  }, 120_000);

  it('asks no host that a rule of the person denies', async () => {
    const { knowledge } = parts();
    settings = { network: { deny: ['example.org'] } };
    const [refused] = await addAll(knowledge, 'https://example.org/water');
    expect(refused).toMatchObject({ outcome: 'refused', note: expect.stringContaining('denies example.org') });
  });

  it('takes 500 files at once', { timeout: slow }, async () => {
    const { knowledge, find } = parts();
    const paths = Array.from({ length: 500 }, (_, at) =>
      write(join(root, 'many', `n${at}.md`), `# Note ${at}\n\nIt is about w${at}x.\n`),
    );
    expect((await addAll(knowledge, ...paths)).filter(({ outcome }) => outcome === 'added')).toHaveLength(500);
    expect(await find('w321x')).toEqual(['knowledge/n321.md -']);
  });

  it('cites the page of a PDF with 300 pages', { timeout: slow }, async () => {
    const { knowledge, find } = parts();
    const pages = Array.from({ length: 300 }, (_, at) => [`Chapter ${at}`, `Valve number v${at}w opens to the left.`]);
    await addAll(knowledge, write(join(root, 'valves.pdf'), pdfFile({ pages, isCompressed: true })));
    expect((await knowledge.show(project)).files).toMatchObject([{ pages: 300 }]);
    expect((await find('v287w'))[0]).toBe('knowledge/valves.pdf 288');
  });
});

describe('knowledge that meets trouble', () => {
  const note = (name: string): string => write(join(root, name), `${name} is here.\n`);

  /** Catches: a full disk that is told 500 times, or that takes away what was added before. */
  it('keeps what was added before the disk was full, and says so', { timeout: slow }, async () => {
    const { base } = parts();
    const files = createKnowledgeFiles(home);
    let room = 1;
    const keep: typeof files.keep = async (...given) => {
      if (room === 0) throw Object.assign(new Error('no space'), { code: 'ENOSPC' });
      room -= 1;
      return files.keep(...given);
    };
    const knowledge = createProjectKnowledge({
      files: { ...files, keep },
      readDocument: createDocumentReader(base),
      fetchPage: () => Promise.reject(new Error('no web')),
      whyNot: async () => null,
      nameIn: async () => 'knowledge',
      namesIn: async () => ['knowledge'],
      readIntoIndex: async () => 0,
      forgetPaths: async () => undefined,
      now: () => 0,
    });
    const added = await addAll(knowledge, note('one.md'), note('two.md'), note('three.md'));
    expect(added.map(({ outcome }) => outcome)).toEqual(['added', 'refused', 'refused']);
    expect(added[1]?.note).toBe('two.md was not added: the disk is full. What was added before is kept.');
    expect((await knowledge.show(project)).files.map(({ name }) => name)).toEqual(['one.md']);
  });

  /** Catches: a process that was killed while it read the index, after which a search never has the rest. */
  it('goes on where an index was cut off', { timeout: slow }, async () => {
    const { knowledge, find } = parts();
    const stop = new AbortController();
    const sources = ['one.md', 'two.md'].map((name): KnowledgeSource => ({ type: 'file', path: note(name) }));
    const tell = (progress: KnowledgeProgress): void =>
      void (progress.type === 'source' && progress.done === 2 && stop.abort());
    await expect(knowledge.add(project, sources, { tell, signal: stop.signal })).rejects.toThrow();
    expect(await find('two.md is here')).toContain('knowledge/two.md -');
  });

  /** Catches: a removal that was cut off, whose text stays in the index for good. */
  it('finishes with its next change what a removal left in the index', { timeout: slow }, async () => {
    const { knowledge, base } = parts();
    const kept = (): string => ['', '-wal'].map((end) => textOf(`${base.indexPath}${end}`)).join('');
    await addAll(knowledge, note('one.md'));
    await createKnowledgeFiles(home).remove(project, 'one.md');
    expect(kept()).toContain('one.md is here');
    await addAll(knowledge, note('two.md'));
    expect(kept()).not.toContain('one.md is here');
  });

  it('lists a file without its details when its list is damaged', async () => {
    const files = createKnowledgeFiles(home);
    const folder = await files.folderOf(project);
    write(join(folder, 'hand.md'), 'By hand.\n');
    write(`${folder}.json`, '{ "files": 7');
    expect(await files.list(project)).toMatchObject([{ name: 'hand.md', from: null, isWhole: false }]);
    expect(readdirSync(dirname(folder))).toHaveLength(2);
  });
});

function textOf(path: string): string {
  try {
    return readFileSync(path, 'latin1');
  } catch {
    return '';
  }
}
