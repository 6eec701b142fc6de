import { cp, link, mkdir, mkdtemp, readdir, realpath, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { findHiddenFiles, type HiddenFilesQuery } from '../../../../src/main/sandbox/workspace/find-hidden-files.ts';

const none = new AbortController().signal;

describe('what was hidden once', () => {
  let base: string;
  let work: string;
  beforeEach(async () => {
    base = await realpath(await mkdtemp(join(tmpdir(), 'dewpoint-hidden-')));
    work = join(base, 'work');
    await mkdir(work);
  });
  afterEach(() => rm(base, { recursive: true }));
  const at = (path: string): string => join(work, path);
  const put = async (path: string, text: string): Promise<void> => {
    await mkdir(dirname(at(path)), { recursive: true });
    await writeFile(at(path), text);
  };
  const move = async (from: string, to: string): Promise<void> => {
    await mkdir(dirname(at(to)), { recursive: true });
    await rename(at(from), at(to));
  };
  const look = async (query: Partial<HiddenFilesQuery> = {}): Promise<readonly string[]> => {
    const usual = { workspacePath: work, settings: { unmask: [] }, homePath: join(base, 'home'), masks: [] };
    return (await findHiddenFiles({ ...usual, ...query }, none)).masks.map(({ path }) => path).sort();
  };

  it('stays hidden under every other name and in every folder that is not looked through', async () => {
    await put('deploy/id_rsa', 'PRIVATE KEY');
    await put('.kube/config', 'x');
    await put('app/.env', 'X=1');
    await put('private/plan.txt', 'x');
    const masks = ['private/*.txt'];
    expect(await look({ masks })).toEqual(['.kube/config', 'app/.env', 'deploy/id_rsa', 'private/plan.txt']);
    await move('deploy', 'tests/deploy');
    await move('.kube', 'Kube');
    await move('app', 'node_modules/app');
    await move('private', '.git/open');
    const moved = ['.git/open/plan.txt', 'Kube/config', 'node_modules/app/.env', 'tests/deploy/id_rsa'];
    expect(await look({ masks })).toEqual(moved);
    expect(await look({ masks })).toEqual(moved);
    await move('node_modules/app/.env', 'notes');
    expect(await look({ masks })).toEqual(['.git/open/plan.txt', 'Kube/config', 'notes', 'tests/deploy/id_rsa']);
    // Without the rule, only what it hid is shown. With it, the file is hidden again where it is.
    expect(await look()).toEqual(['Kube/config', 'notes', 'tests/deploy/id_rsa']);
    expect(await look({ masks })).toContain('.git/open/plan.txt');
  });

  it('stays hidden under all names of one file, and when it is written anew in a renamed folder', async () => {
    await put('app/.env', 'X=1');
    await mkdir(at('node_modules'));
    await link(at('app/.env'), at('node_modules/readme'));
    await link(at('app/.env'), at('settings'));
    expect(await look()).toEqual(['app/.env', 'node_modules/readme', 'settings']);
    await rm(at('app/.env'));
    expect(await look()).toEqual(['node_modules/readme', 'settings']);
    await put('.kube/config', 'x');
    await look();
    await move('.kube', 'kube');
    await put('kube/new', 'y');
    await move('kube/new', 'kube/config');
    expect(await look()).toEqual(['kube/config', 'node_modules/readme', 'settings']);
  });

  it('stays hidden when it comes back, and in a copy of the project', async () => {
    await put('deploy/id_rsa', 'PRIVATE KEY');
    await look();
    await rename(at('deploy'), join(base, 'deploy'));
    expect(await look()).toEqual([]);
    await rename(join(base, 'deploy'), at('fixtures'));
    await move('fixtures', 'fixtures2');
    await move('fixtures2', 'tests/keys');
    const copy = join(base, 'copy');
    await cp(work, copy, { recursive: true });
    expect(await look({ workspacePath: copy, projectPath: work })).toEqual(['tests/keys/id_rsa']);
    expect(await look()).toEqual(['tests/keys/id_rsa']);
  });

  it('is shown when the person says so or took the secret out, and the next file may have its inode', async () => {
    await put('deploy/key.pem', 'PRIVATE KEY');
    await put('.env', 'X=1');
    await look();
    await move('deploy', 'tests/deploy');
    expect(await look({ settings: { unmask: ['tests/deploy/key.pem'] } })).toEqual(['.env']);
    expect(await look({ settings: { unmask: ['deploy/key.pem'] } })).toEqual(['.env']);
    expect(await look()).toEqual(['.env', 'tests/deploy/key.pem']);
    await writeFile(at('tests/deploy/key.pem'), 'CERTIFICATE');
    expect(await look()).toEqual(['.env']);
    await rm(at('.env'));
    for (let count = 0; count < 20; count += 1) await put(`plain-${count}.txt`, 'x');
    expect(await look()).toEqual([]);
  });

  it('starts nothing when the list of it cannot be read', async () => {
    await put('.env', 'X=1');
    await look();
    const folder = join(base, 'home/sandbox/hidden');
    const [name = ''] = await readdir(folder);
    await writeFile(join(folder, name), '{');
    await expect(look()).rejects.toMatchObject({ code: 'refused', message: expect.stringContaining(name) });
  });
});
