import {
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { unreadText } from '@shared/documents/document-search.ts';
import { settingsSchema } from '@shared/settings/settings.ts';
import { createChosenFolders } from '../../../src/main/compose-folders.ts';
import { createDocumentReader } from '../../../src/main/documents/read-document.ts';
import { besideChosen } from '../../../src/main/documents/search/chosen-folders.ts';
import { openIndex } from '../../../src/main/documents/search/index-client.ts';
import { createSearchDocuments } from '../../../src/main/documents/search/search-documents.ts';
import { createHostPrograms } from '../../../src/main/lib/programs/host-programs.ts';
import { createRuleFiles } from '../../../src/main/safety/rule-files.ts';
import { createReadOnlySandbox } from '../../../src/main/sandbox/read-only/read-only-sandbox.ts';
import { pdfFile } from '../../fakes/pdf-file.ts';

const never = new AbortController().signal;
let home: string;
let project: string;
let manuals: string;
let settings: Record<string, unknown>;

function write(path: string, content: string | Buffer): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, content);
}

beforeEach(() => {
  home = realpathSync(mkdtempSync(join(tmpdir(), 'dewpoint-chosen-')));
  project = join(home, 'work', 'app');
  manuals = join(home, 'shelf', 'manuals');
  write(join(project, 'readme.md'), '# App\n\nIt pumps water.\n');
  write(join(manuals, 'pump.pdf'), pdfFile({ pages: [['Cover'], ['The pump needs 24 volts.']] }));
  write(join(manuals, 'private', 'prices.md'), '# Prices\n\nThe pump costs 4711.\n');
  settings = { projectFolders: { [project]: [manuals] } };
});

afterEach(() => rmSync(home, { recursive: true, force: true }));

let rulesFolder = 'dewpoint';
const rulesHome = (): string => join(home, rulesFolder);

function opened() {
  mkdirSync(rulesHome(), { recursive: true });
  const rules = createRuleFiles({ home: rulesHome(), approved: () => ({}) });
  const current = () => settingsSchema.parse(settings);
  return createChosenFolders({ home: rulesHome() }, { settings: { current }, rules })(project)(never);
}

const own = () => createReadOnlySandbox({ workspacePath: project, because: null }).files;

async function pathsBeside(): Promise<readonly string[]> {
  const scanned = await besideChosen(own(), await opened()).scan(never);
  return scanned.ok ? [...scanned.value.files.keys()].toSorted() : [scanned.error.message];
}

describe('a folder that was chosen to be searched with a project', () => {
  it('has its files beside those of the project, by its name, and none of another project', async () => {
    expect(await pathsBeside()).toEqual(['manuals/private/prices.md', 'manuals/pump.pdf', 'readme.md']);
    settings = { projectFolders: { [join(home, 'work')]: [manuals] } };
    expect(await pathsBeside()).toEqual(['readme.md']);
  });

  /** Catches: a link in a folder of manuals that leads a model to any file of this machine. */
  it('shows nothing that a link leads to outside it, and no file with secrets', async () => {
    write(join(home, 'outside.md'), 'outside\n');
    symlinkSync(join(home, 'outside.md'), join(manuals, 'link.md'));
    symlinkSync(home, join(manuals, 'all'));
    symlinkSync(manuals, join(manuals, 'loop'));
    write(join(manuals, '.env'), 'TOKEN=abc\n');
    const files = besideChosen(own(), await opened());
    expect(await pathsBeside()).toEqual(['manuals/private/prices.md', 'manuals/pump.pdf', 'readme.md']);
    for (const path of ['manuals/link.md', 'manuals/all/outside.md', 'manuals/.env', 'manuals/../../outside.md'])
      expect(await files.read(path, {}, never), path).toMatchObject({ ok: false });
    const read = await files.read('manuals/pump.pdf', {}, never);
    expect(read.ok ? '' : read.error.message).toBe('');
  });

  it('is not there once it is gone, or once a link stands in its place', async () => {
    renameSync(manuals, join(home, 'shelf', 'old'));
    expect(await pathsBeside()).toEqual(['readme.md']);
    symlinkSync(join(home, 'shelf', 'old'), manuals);
    expect(await pathsBeside()).toEqual(['readme.md']);
  });

  /** Catches: files that a rule keeps here in their own project, and that leave by another project. */
  it('leaves out what a rule of the folder fences, and takes what the rules of the project judge', async () => {
    const fence = { paths: ['private/**'], verdict: 'local-only' };
    settings = { ...settings, fences: { rules: [{ ...fence, project: manuals }] } };
    expect(await pathsBeside()).toEqual(['manuals/pump.pdf', 'readme.md']);
    const files = besideChosen(own(), await opened());
    expect(await files.read('manuals/private/prices.md', {}, never)).toMatchObject({ ok: false });
    settings = { ...settings, fences: { rules: [{ paths: ['manuals/private/**'], verdict: 'local-only' }, fence] } };
    expect(await pathsBeside()).toContain('manuals/private/prices.md');
  });

  /** Catches: a part of a fenced project that was chosen as a folder, where the rules of the project no longer hold. */
  it('leaves out what the rules of a project around it or in it fence or mask', async () => {
    const shelf = join(home, 'shelf');
    const fence = { verdict: 'local-only' };
    settings = { ...settings, fences: { rules: [{ ...fence, paths: ['manuals/private/**'], project: shelf }] } };
    expect(await pathsBeside()).toEqual(['manuals/pump.pdf', 'readme.md']);
    const inner = join(manuals, 'private');
    settings = { ...settings, fences: { rules: [{ ...fence, paths: ['prices.*'], project: inner }] } };
    expect(await pathsBeside()).toEqual(['manuals/pump.pdf', 'readme.md']);
    settings = { ...settings, fences: { rules: [{ ...fence, paths: ['**'], project: join(home, 'work') }] } };
    expect(await pathsBeside()).toEqual(['manuals/private/prices.md', 'manuals/pump.pdf', 'readme.md']);
    settings = { ...settings, fences: { rules: [] } };
    write(join(shelf, '.dewpoint', 'dewpoint.rules'), 'mask path manuals/*.pdf\nlocal-only path **/private/**\n');
    expect(await pathsBeside()).toEqual(['readme.md']);
  });

  /** Catches: your own rules, read as those of a project, where the home of Dewpoint lies beside the folder. */
  it('takes the rules of the home for no rules of a project around it', async () => {
    rulesFolder = join('shelf', '.dewpoint');
    try {
      settings = { projectFolders: { [project]: [join(manuals, 'private')] } };
      write(join(rulesHome(), 'dewpoint.rules'), 'local-only path manuals/private/**\n');
      expect(await pathsBeside()).toEqual(['private/prices.md', 'readme.md']);
    } finally {
      rulesFolder = 'dewpoint';
    }
  });

  it('hides what a rule of yours masks, by its name or within it', async () => {
    mkdirSync(rulesHome(), { recursive: true });
    writeFileSync(join(rulesHome(), 'dewpoint.rules'), 'mask path manuals/private/**\n');
    expect(await pathsBeside()).toEqual(['manuals/pump.pdf', 'readme.md']);
    writeFileSync(join(rulesHome(), 'dewpoint.rules'), 'mask path *.pdf\n');
    expect(await pathsBeside()).toEqual(['manuals/private/prices.md', 'readme.md']);
  });

  /** Catches: a rule for a folder that does not hold, because another chosen folder shows its files by a second name. */
  it('is judged by the rules for each of its names where it is within another one', async () => {
    settings = {
      projectFolders: { [project]: [manuals, join(home, 'shelf')] },
      fences: { rules: [{ paths: ['manuals/private/**'], verdict: 'local-only' }] },
    };
    const paths = await pathsBeside();
    expect(paths).toContain('shelf/manuals/pump.pdf');
    expect(paths).toContain('manuals/private/prices.md');
    expect(paths).not.toContain('shelf/manuals/private/prices.md');
  });

  /** Catches: one folder that is gone or became a file, and a project that cannot be searched any more for it. */
  it('stops no search when it cannot be read, and is named in what was found', async () => {
    const notes = join(home, 'shelf', 'notes');
    write(notes, 'once a folder');
    settings = { projectFolders: { [project]: [join(home, 'gone'), notes, manuals] } };
    const programs = createHostPrograms({ home, env: process.env });
    const processPath = resolve('tests/fakes/document-child.mjs');
    const base = { programs, nodePath: process.execPath, processPath, indexPath: join(home, 'index.sqlite') };
    const search = createSearchDocuments({ ...base, readDocument: createDocumentReader(base), now: () => 0 });
    const found = await search(own(), { words: '4711', limit: 5, chosen: await opened() }, never);
    expect(found).toMatchObject({
      ok: true,
      value: { unread: ['gone', 'notes'], chunks: [{ path: 'manuals/private/prices.md' }] },
    });
    if (found.ok) expect(unreadText(found.value)).toContain('chosen folders gone, notes');
  }, 120_000);

  it('is found by words and cited by page, until it is removed with all its text', async () => {
    const programs = createHostPrograms({ home, env: process.env });
    const processPath = resolve('tests/fakes/document-child.mjs');
    const base = { programs, nodePath: process.execPath, processPath, indexPath: join(home, 'index.sqlite') };
    const search = createSearchDocuments({ ...base, readDocument: createDocumentReader(base), now: () => 0 });
    const asked = { words: 'pump', limit: 5, chosen: await opened() };
    const found = await search(own(), asked, never);
    expect(found).toMatchObject({ ok: true, value: { documents: 3, outside: 2, left: 0 } });
    const parts = found.ok ? found.value.chunks.map(({ path, page }) => [path, page]) : [];
    expect(parts).toContainEqual(['manuals/pump.pdf', 1]);
    const kept = (): string => ['', '-wal'].map((end) => fileText(`${base.indexPath}${end}`)).join('');
    expect(kept()).toContain('costs 4711');
    const index = openIndex(base, 0, never);
    await index.forgetPaths(['manuals']);
    expect(kept()).not.toContain('costs 4711');
    expect(kept()).not.toContain('24 volts');
    index.close();
    // A search that began before the removal ends after it.
    const late = openIndex(base, 0, never);
    const file = { path: 'manuals/late.md', fingerprint: '1' };
    await late.take([]);
    const other = openIndex(base, 0, never);
    await other.forgetPaths(['manuals']);
    other.close();
    await late.add([
      { ...file, text: 'The pump costs 4711.' },
      { path: 'readme.md', fingerprint: '1', text: 'Of 4712' },
    ]);
    expect((await late.find('4711 4712', 5)).map(({ path }) => path)).toEqual(['readme.md']);
    late.close();
    expect(kept()).not.toContain('costs 4711');
    const again = openIndex(base, 0, never);
    expect(await again.take([file])).toEqual([file]);
    await again.add([{ ...file, text: 'The pump costs 4713.' }]);
    expect(await again.find('4713', 5)).toMatchObject([{ path: 'manuals/late.md' }]);
    await again.forgetPaths(['manuals']);
    again.close();
    const without = await search(own(), { words: 'pump', limit: 5 }, never);
    expect(without).toMatchObject({ ok: true, value: { documents: 1, chunks: [{ path: 'readme.md' }] } });
  }, 120_000);
});

function fileText(path: string): string {
  try {
    return readFileSync(path, 'latin1');
  } catch {
    return '';
  }
}
