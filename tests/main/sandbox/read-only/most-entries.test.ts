import { mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createFileBaseline } from '../../../../src/main/agent/changes/file-baseline.ts';
import { neverAborts } from '../../../../src/main/lib/async/abort.ts';
import { lookForHidden } from '../../../../src/main/sandbox/read-only/hidden-from-reading.ts';
import { createReadOnlySandbox } from '../../../../src/main/sandbox/read-only/read-only-sandbox.ts';
import type { SandboxFiles } from '../../../../src/main/sandbox/sandbox.ts';
import { createMentionableFiles } from '../../../../src/main/sessions/attachments/mentionable-files.ts';
import { codeOf, valueOf } from '../../../contracts/sandbox-contract.ts';

const aborted = AbortSignal.abort();

describe('a folder with more files than are looked at', () => {
  let workspacePath: string;
  beforeEach(async () => {
    workspacePath = await realpath(await mkdtemp(join(tmpdir(), 'dewpoint-many-')));
    await put('main.ts', 'export const main = 1;\n');
    for (const name of ['a', 'b', 'c']) await put(`data/deep/${name}.ts`, '');
    await put('src/app.ts', '');
  });
  afterEach(() => rm(workspacePath, { recursive: true }));

  const put = async (path: string, text: string): Promise<void> => {
    await mkdir(dirname(join(workspacePath, path)), { recursive: true });
    await writeFile(join(workspacePath, path), text);
  };
  const filesWith = (mostEntries: number): SandboxFiles =>
    createReadOnlySandbox({ workspacePath, because: null, mostEntries }).files;

  // Catches: a folder of data, first by its name, that takes all the room, so that no source file is seen.
  it('has its upper folders in a list, which says that there is more', async () => {
    const cut = valueOf(await filesWith(5).list('.', {}, neverAborts));
    expect(cut.truncated).toBe(true);
    expect(cut.entries.map(({ path }) => path)).toEqual(['data', 'data/deep', 'main.ts', 'src', 'src/app.ts']);
    expect(valueOf(await filesWith(8).list('.', {}, neverAborts))).toMatchObject({ truncated: false });
    expect(valueOf(await filesWith(3).list('data/deep', {}, neverAborts)).entries).toHaveLength(3);
  });

  // Catches: an ignored folder of a million files that leaves no room for the project's own.
  it('has room for all that is not ignored', async () => {
    await put('.gitignore', 'data/\n');
    await put('src/deep/late.ts', '');
    const list = valueOf(await filesWith(7).list('.', {}, neverAborts));
    expect(list.truncated).toBe(false);
    expect(list.entries.map(({ path }) => path)).toContain('src/deep/late.ts');
  });

  // Catches: files that were not looked at, recorded as deleted.
  it('counts no file as gone that a look did not reach', async () => {
    const scan = valueOf(await filesWith(5).scan(neverAborts));
    expect([...scan.files.keys()].sort()).toEqual(['main.ts', 'src/app.ts']);
    expect(scan).toMatchObject({ isCut: true, unseen: ['.'] });
    let now = filesWith(8);
    const baseline = createFileBaseline({ ...now, scan: (signal) => now.scan(signal) }, null);
    await baseline.refresh(neverAborts);
    now = filesWith(5);
    expect(await baseline.collect(neverAborts)).toEqual([]);
    await rm(join(workspacePath, 'data/deep/a.ts'));
    now = filesWith(8);
    expect(await baseline.collect(neverAborts)).toMatchObject([{ path: 'data/deep/a.ts', after: null }]);
  });

  // Catches: a limit of the list that is taken for the end of the look for secrets.
  it('hides a secret that no list reaches', async () => {
    await put('data/deep/secrets/.env', 'API_KEY=4f9c1b7d20e84a6c93d5\n');
    const query = { workspacePath, settings: { unmask: [] }, homePath: join(workspacePath, '..', 'none'), masks: [] };
    const { hidden } = await lookForHidden(query, neverAborts);
    const { files } = createReadOnlySandbox({
      workspacePath,
      because: null,
      mostEntries: 2,
      hidden: async () => hidden,
    });
    expect(valueOf(await files.list('.', {}, neverAborts)).truncated).toBe(true);
    expect(codeOf(await files.read('data/deep/secrets/.env', {}, neverAborts))).toBe('refused');
    expect(valueOf(await files.search({ pattern: '4f9c1b' }, neverAborts)).matches).toEqual([]);
  });

  it('offers the files of the folder that was typed after an @', async () => {
    const find = createMentionableFiles(() => filesWith(4));
    const typed = async (text: string) =>
      (await find(workspacePath, { text, recent: [], limit: 9 }, neverAborts)).ranked;
    expect(await typed('b.ts')).toEqual([]);
    expect(await typed('data/deep/b')).toContain('data/deep/b.ts');
    expect(await typed('../b')).toEqual([]);
  });

  it('stops at once when it is cancelled', async () => {
    expect(codeOf(await filesWith(5).list('.', {}, aborted))).toBe('cancelled');
    expect(codeOf(await filesWith(5).scan(aborted))).toBe('cancelled');
  });
});
