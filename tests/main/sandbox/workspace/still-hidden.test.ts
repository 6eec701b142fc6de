import { cp, link, mkdir, mkdtemp, readFile, realpath, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { moveHidden } from '../../../../src/main/sandbox/workspace/hidden-memory.ts';
import { findHiddenFiles, type HiddenFilesQuery } from '../../../../src/main/sandbox/workspace/find-hidden-files.ts';

const none = new AbortController().signal;

describe('a file that was hidden once', () => {
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

  it('stays hidden under every other name and in every folder', async () => {
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

  // Catches: what a rule hid before the folder of its project was moved, which nothing shows again.
  it('stays hidden where its project lies now, until its rule is gone', async () => {
    await put('private/plan.txt', 'x');
    const masks = ['private/*.txt'];
    await look({ masks });
    await move('private', 'open');
    expect(await look({ masks })).toEqual(['open/plan.txt']);
    const old = work;
    work = join(base, 'elsewhere');
    await rename(old, work);
    await moveHidden(join(base, 'home'), old, work);
    expect(await look({ masks })).toEqual(['open/plan.txt']);
    expect(await look()).toEqual([]);
  });

  it('stays hidden under all its hard links, and when rewritten in a renamed folder', async () => {
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

  it('is shown when the person says so or has removed the secret', async () => {
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

  it('stops the start of a session when the list of hidden files cannot be read', async () => {
    await put('.env', 'X=1');
    await look();
    const file = join(base, 'home/sandbox/hidden-files.json');
    await writeFile(file, '{');
    await expect(look()).rejects.toMatchObject({ code: 'refused', message: expect.stringContaining(file) });
  });

  it('stays hidden when the project is opened from a folder inside or around it, or renamed', async () => {
    const project = at('app');
    await put('app/deploy/id_rsa', 'PRIVATE KEY');
    await put('app/plans/plan.txt', 'x');
    await put('app/tests/fine.pem', 'PRIVATE KEY');
    expect(await look({ workspacePath: project, masks: ['plans/*.txt'] })).toEqual(['deploy/id_rsa', 'plans/plan.txt']);
    await move('app/deploy', 'app/tests/a');
    await move('app/plans', 'app/tests/b');
    // Nobody looked at the project since.
    expect(await look({ workspacePath: at('app/tests') })).toEqual(['a/id_rsa', 'b/plan.txt', 'fine.pem']);
    expect(await look()).toEqual(['app/tests/a/id_rsa', 'app/tests/b/plan.txt']);
    await rm(at('app/tests/fine.pem'));
    await rename(work, join(base, 'other'));
    await rename(join(base, 'other/app'), join(base, 'other/api'));
    const renamed = join(base, 'other/api');
    expect(await look({ workspacePath: renamed })).toEqual(['tests/a/id_rsa', 'tests/b/plan.txt']);
    expect(await look({ workspacePath: join(base, 'other') })).toEqual(['api/tests/a/id_rsa', 'api/tests/b/plan.txt']);
    await rename(join(renamed, 'tests/a/id_rsa'), join(renamed, 'tests/notes'));
    expect(await look({ workspacePath: renamed })).toEqual(['tests/b/plan.txt', 'tests/notes']);
    await mkdir(work);
  });

  it('is known by its content in any project, except in examples', async () => {
    const secret = 'TOKEN=tcnry4711-tcnry4711\n';
    await put('app/.env', secret);
    await put('app/notes.txt', secret);
    await put('app/node_modules/x/readme', secret);
    await put('app/.env.example', secret);
    await put('app/other.txt', secret.replace('4711', '4712'));
    const project = at('app');
    expect(await look({ workspacePath: project })).toEqual(['.env', 'node_modules/x/readme', 'notes.txt']);
    await mkdir(at('elsewhere'));
    await cp(at('app/notes.txt'), at('elsewhere/read.me'));
    expect(await look({ workspacePath: at('elsewhere') })).toEqual(['read.me']);
    const shown = { workspacePath: project, settings: { unmask: ['.env', 'notes.txt', 'node_modules/x/readme'] } };
    expect(await look(shown)).toEqual([]);
  });

  it('stays hidden in a copy that a command made while the person wrote the secret', async () => {
    await put('app/.env', 'TOKEN=before-before\n');
    await put('tests/keys/old', 'TOKEN=tcnry4711-tcnry4711\n');
    const since = Date.now() + 50;
    expect(await look({ since })).toEqual(['app/.env']);
    await wait(60);
    await put('new', 'TOKEN=tcnry4711-tcnry4711\n');
    await move('new', 'app/.env');
    for (const path of ['notes', 'tests/keys/new', 'new.example']) await cp(at('app/.env'), at(path));
    const found = ['app/.env', 'new.example', 'notes', 'tests/keys/new'];
    expect(await look({ since, seeksAway: false })).toEqual(found);
    expect(await look()).toEqual(found);
  });

  it('is remembered by parallel sessions of several projects', async () => {
    const projects = ['a', 'b', 'c', 'd'].map(at);
    for (const name of ['a', 'b', 'c', 'd']) await put(`${name}/.env`, `X=${name}`);
    await Promise.all(projects.map((workspacePath) => look({ workspacePath })));
    for (const name of ['a', 'b', 'c', 'd']) await move(`${name}/.env`, `${name}/notes`);
    for (const workspacePath of projects) expect(await look({ workspacePath })).toEqual(['notes']);
    expect(await look()).toEqual(['a/notes', 'b/notes', 'c/notes', 'd/notes']);
  });

  it('is forgotten with a deleted copy of the project', async () => {
    const copy = join(base, 'home/workspaces/one');
    await mkdir(copy, { recursive: true });
    await writeFile(join(copy, '.env'), 'X=1');
    await look({ workspacePath: copy });
    await rm(copy, { recursive: true });
    await put('.env', 'X=2');
    await look();
    const list = await readFile(join(base, 'home/sandbox/hidden-files.json'), 'utf8');
    expect(list).not.toContain(copy);
    expect(list).toContain(work);
  });
});
