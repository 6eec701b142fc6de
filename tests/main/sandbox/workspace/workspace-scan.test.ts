import { chmod, mkdir, mkdtemp, realpath, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { asNobody } from '../../../fakes/as-nobody.ts';
import { findHiddenFiles } from '../../../../src/main/sandbox/workspace/find-hidden-files.ts';
import { scanWorkspace } from '../../../../src/main/sandbox/workspace/workspace-scan.ts';

const none = new AbortController().signal;

describe('the scan of a project', () => {
  let base: string;
  let folder: string;
  beforeEach(async () => {
    base = await realpath(await mkdtemp(join(tmpdir(), 'dewpoint-scan-')));
    folder = join(base, 'work');
    await mkdir(folder);
  });
  afterEach(() => rm(base, { recursive: true }));
  const put = async (path: string, text = ''): Promise<void> => {
    await mkdir(dirname(join(base, path)), { recursive: true });
    await writeFile(join(base, path), text);
  };
  const lookWith = (unmask: readonly string[], masks: readonly string[]) =>
    findHiddenFiles(
      { workspacePath: folder, settings: { unmask: [...unmask] }, homePath: join(base, 'home'), masks },
      none,
    );
  const look = async (unmask: readonly string[] = []) => {
    const { masks, warnings } = await lookWith(unmask, []);
    return { masks: masks.map(({ path }) => path), warnings };
  };

  it('finds secrets, repositories and links to elsewhere without following a link', async () => {
    await put('outside/.env', 'X=1');
    await put('work/.env', 'X=1');
    await put('work/cert.pem', 'CERTIFICATE');
    await put('work/key.pem', 'PRIVATE KEY');
    await put('work/node_modules/x/.env', '');
    await put('work/sub/.git', 'gitdir: x');
    await put('work/deep/er/.git/config');
    await symlink(join(base, 'outside'), join(folder, 'out'));
    const found = await scanWorkspace(folder, none);
    expect(found).toMatchObject({
      secrets: ['.env', 'key.pem'],
      gitFolders: ['deep/er/.git'],
      cut: null,
    });
    await expect(scanWorkspace(folder, AbortSignal.abort())).rejects.toThrow();
  });

  it('hides secrets, reports them, and shows those that a person named', async () => {
    await put('work/.env', 'X=1');
    await put('work/api/.env', 'X=1');
    const all = await look();
    expect([all.masks, all.warnings]).toEqual([
      ['.env', 'api/.env'],
      [expect.stringContaining(`sandbox.unmask '["${join(folder, '.env')}"]'`)],
    ]);
    expect((await look([join(folder, '.env')])).masks).toEqual(['api/.env']);
    expect((await look(['api/.env', './.env'])).masks).toEqual([]);
    await symlink(folder, join(base, 'link'));
    expect((await look([join(base, 'link/.env')])).masks).toEqual(['api/.env']);
    expect((await look(['/elsewhere/.env'])).masks).toEqual(['.env', 'api/.env']);
  });

  it.skipIf(process.platform !== 'linux')('stops the start when a secret has a name that is not UTF-8', async () => {
    const raw = (name: string): Buffer =>
      Buffer.concat([Buffer.from(`${folder}/`), Buffer.from([0xff]), Buffer.from(name)]);
    await writeFile(raw('.txt'), 'x');
    const { masks, warnings } = await look();
    expect([masks, warnings]).toEqual([[], [expect.stringMatching(/^1 name of a file or folder is not UTF-8 text/)]]);
    await expect(lookWith([], ['*.txt'])).rejects.toMatchObject({ code: 'refused' });
    await writeFile(raw('.pem'), 'PRIVATE KEY');
    await expect(look()).rejects.toMatchObject({ code: 'refused', message: expect.stringContaining('\uFFFD.pem') });
    await rm(raw('.pem'));
    await mkdir(raw(''));
    await writeFile(raw('/.env'), 'X=1');
    await expect(look()).rejects.toMatchObject({ code: 'refused', message: expect.stringContaining('\uFFFD/.env') });
  });

  it('hides at most 200 files, then whole folders of secrets, and else stops the start', async () => {
    for (let at = 0; at < 201; at += 1) await put(`work/deploy/keys/${at}.env`, 'X=1');
    await put('work/deploy/keys/more/a.env', 'X=1');
    await put('work/.env', 'X=1');
    await put('work/deploy/run.sh', 'x');
    const { masks } = await lookWith([], []);
    expect(masks).toMatchObject([
      { path: 'deploy/keys', kind: 'folder' },
      { path: '.env', kind: 'file' },
    ]);
    await put('work/deploy/keys/readme.md', 'x');
    await expect(look()).rejects.toMatchObject({
      code: 'refused',
      message: expect.stringContaining('203 files hold secrets (.env, deploy/keys/0.env,'),
      hint: expect.stringContaining('sandbox.unmask'),
    });
    expect((await lookWith([], ['deploy/keys'])).masks).toHaveLength(2);
    await rm(join(folder, 'deploy/keys/readme.md'));
    // A file inside a folder that is hidden as a whole cannot be shown.
    await expect(look(['deploy/keys/7.env'])).rejects.toMatchObject({ code: 'refused' });
  });

  it('stops the start when it cannot look through the whole project', async () => {
    const deep = 'd/'.repeat(270);
    await put(`work/${deep}.env`, 'X=1');
    await expect(look()).rejects.toMatchObject({ code: 'refused', message: expect.stringContaining('too deep') });
    expect((await lookWith([], ['d'])).masks).toMatchObject([{ path: 'd', kind: 'folder' }]);
  });

  it('finds keys at the start of files of any length, and logins in git data', async () => {
    await put('work/bundle.pem', `PRIVATE KEY\n${'x'.repeat(2_000_000)}`);
    await put('work/.git/credentials', 'https://me:token@host.example');
    await put('work/sub/.git/.git-credentials', 'x');
    await put('work/.envrc', 'export API_TOKEN=abc');
    await put('work/other/.envrc', 'use flake');
    expect((await look()).masks).toEqual(['.envrc', '.git/credentials', 'bundle.pem', 'sub/.git/.git-credentials']);
  });

  it('reports logins in the git configuration by their place, without repeating them', async () => {
    const remote = (name: string, url: string): string => `[remote "${name}"]\n\turl = ${url}\n`;
    await put('work/.git/config', remote('origin', 'https://me:hunter2@host.example/x.git'));
    await put('work/a/.git/config', `[core]\n${remote('up', 'https://ghp_0123456789abcdefghij@host.example/x')}`);
    await put('work/b/.git/config', '[http]\n\textraheader = AUTHORIZATION: basic aHVudGVyMg==\n');
    await put('work/c/.git/config', remote('origin', 'https://me@host.example/x') + remote('b', 'git@host.example:x'));
    const { masks, warnings } = await look();
    expect(masks).toEqual([]);
    expect(warnings).toEqual([
      expect.stringContaining('.git/config (remote origin), a/.git/config (remote up), b/.git/config (http). Remove'),
    ]);
    expect(warnings.join('')).not.toMatch(/hunter2|ghp_|aHVu/);
  });

  it('hides what it may not look into', async () => {
    await put('work/closed/.env', 'X=1');
    await put('work/key.pem', 'x');
    await put('work/half/.env', 'X=1');
    await chmod(join(folder, 'half'), 0o444);
    await chmod(join(folder, 'closed'), 0);
    await chmod(join(folder, 'key.pem'), 0);
    await chmod(base, 0o755);
    await mkdir(join(base, 'home'));
    await chmod(join(base, 'home'), 0o777);
    const { masks } = await asNobody(() => lookWith([], []));
    await chmod(join(folder, 'closed'), 0o755);
    expect(masks).toMatchObject([
      { path: 'closed', kind: 'folder' },
      { path: 'half/.env', kind: 'file' },
      { path: 'key.pem', kind: 'file' },
    ]);
  });

  it('hides what a rule masks, or else stops the start', async () => {
    await put('work/plans/a.md', 'x');
    await put('work/plans/deep/.env', 'X=1');
    await put('work/notes.txt', 'x');
    await put('work/src/a.py', 'x');
    const found = await lookWith(['notes.txt'], ['plans', '*.txt']);
    expect(found.masks.toSorted((left, right) => (left.path < right.path ? -1 : 1))).toMatchObject([
      { path: 'notes.txt', kind: 'file' },
      { path: 'plans', kind: 'folder' },
    ]);
    expect(found.warnings.join(' ')).toContain('plans/');
    for (let at = 0; at < 201; at += 1) await put(`work/many/${at}.txt`, 'x');
    await expect(lookWith([], ['*.txt'])).rejects.toMatchObject({ code: 'refused' });
  });
});
