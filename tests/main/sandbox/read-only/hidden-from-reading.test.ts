import { link, mkdir, mkdtemp, realpath, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { hiddenFromReading } from '../../../../src/main/sandbox/read-only/hidden-from-reading.ts';
import { createSandboxFactory } from '../../../../src/main/sandbox/sandbox-factory.ts';
import type { Sandbox } from '../../../../src/main/sandbox/sandbox.ts';
import { settingsSchema } from '../../../../src/shared/settings/settings.ts';
import { valueOf } from '../../../contracts/sandbox-contract.ts';

const none = new AbortController().signal;

describe('a hidden file in a read-only session', () => {
  let base: string;
  let work: string;
  beforeEach(async () => {
    base = await realpath(await mkdtemp(join(tmpdir(), 'dewpoint-unread-')));
    work = join(base, 'work');
    await mkdir(work);
  });
  afterEach(() => rm(base, { recursive: true }));
  const put = async (path: string, text: string): Promise<void> => {
    await mkdir(dirname(join(work, path)), { recursive: true });
    await writeFile(join(work, path), text);
  };
  const start = async (masks: readonly string[] = []): Promise<Sandbox> => {
    const factory = createSandboxFactory({
      homePath: join(base, 'home'),
      resourcesPath: base,
      imageScript: null,
      env: {},
      connection: () => {
        throw new Error('Nothing is reached from here.');
      },
    });
    const request = {
      sessionId: 's1',
      workspacePath: work,
      settings: settingsSchema.parse({}).sandbox,
      wanted: 'read-only',
      needsExecute: false,
      masks,
      onLost: () => undefined,
      onProgress: () => undefined,
    } as const;
    return valueOf(await factory(request, none));
  };
  /** All that any operation says of a path. */
  const everything = async (sandbox: Sandbox, path: string): Promise<string> => {
    const read = await sandbox.files.read(path, {}, none);
    const many = await sandbox.files.readMany([path], {}, none);
    const answers = {
      read: read.ok ? Buffer.from(read.value.bytes).toString() : read.error.code,
      many: many.ok ? [...many.value.values()].map(({ bytes }) => Buffer.from(bytes).toString()) : many.error.code,
      list: await sandbox.files.list(path, { all: true, depth: 5 }, none),
      search: await sandbox.files.search({ pattern: 'canary', path }, none),
    };
    return JSON.stringify(answers);
  };

  it('cannot be read by any operation through a link in the repository', async () => {
    await put('.netrc', 'password canary');
    await put('deploy/keys/id_rsa', 'PRIVATE KEY canary');
    await put('plans/deep/a.md', 'canary');
    await put('docs/readme.md', 'open');
    await symlink('../.netrc', join(work, 'docs/a.txt'));
    await symlink('a.txt', join(work, 'docs/b.txt'));
    await symlink('../deploy', join(work, 'docs/deploy'));
    await symlink('../deploy/keys', join(work, 'docs/keys'));
    await symlink('../plans', join(work, 'docs/plans'));
    await symlink('../plans/deep', join(work, 'docs/deep'));
    await symlink('../plans/deep/a.md', join(work, 'docs/a.md'));
    await symlink('..', join(work, 'docs/all'));
    await link(join(work, '.netrc'), join(work, 'docs/linked'));
    const sandbox = await start(['plans']);
    const ways = `.netrc docs/a.txt docs/b.txt docs/all/.netrc docs/linked ./docs/../.netrc ${work}/.netrc
      docs/deploy/keys/id_rsa docs/keys/id_rsa docs/all/docs/all/deploy/keys/id_rsa
      plans docs/plans docs/plans/deep/a.md docs/deep docs/deep/a.md docs/a.md plans/deep
      docs/keys docs/deploy docs/all docs .`.split(/\s+/);
    const told = /canary|"path":"[^"]*(id_rsa|a\.md|linked)","kind":"file/;
    for (const path of ways) expect([path, told.exec(await everything(sandbox, path))?.[0]]).toEqual([path, undefined]);
    expect(valueOf(await sandbox.files.search({ pattern: 'canary' }, none))).toEqual({ matches: [], truncated: false });
    const scanned = valueOf(await sandbox.files.scan(none));
    expect([...scanned.files.keys()]).toEqual(['docs/readme.md']);
    expect(await sandbox.files.stat('.netrc', none)).toMatchObject({ ok: false, error: { code: 'refused' } });
    expect(await sandbox.files.stat('docs/deep/a.md', none)).toMatchObject({ ok: false, error: { code: 'refused' } });
    expect(await sandbox.files.read('docs/readme.md', {}, none)).toMatchObject({ ok: true });
  });

  it('does not count towards the limit of a search', async () => {
    await put('.env', 'canary\n'.repeat(10));
    await put('zz.txt', 'canary\ncanary\n');
    const sandbox = await start();
    const found = valueOf(await sandbox.files.search({ pattern: 'canary', limit: 2 }, none));
    expect([found.matches.map(({ path }) => path), found.truncated]).toEqual([['zz.txt', 'zz.txt'], false]);
  });

  it('may have been made after the start of the session', async () => {
    const sandbox = await start();
    await put('notes.txt', 'open');
    await put('.env.production', 'KEY=canary');
    await put('.npmrc', '//host.example.test/:_authToken=canary-canary');
    await expect.poll(() => everything(sandbox, '.env.production'), { timeout: 20_000 }).not.toContain('canary');
    expect(await everything(sandbox, '.npmrc')).not.toContain('canary');
    expect(valueOf(await sandbox.files.search({ pattern: 'canary' }, none)).matches).toEqual([]);
    expect(await sandbox.files.read('notes.txt', {}, none)).toMatchObject({ ok: true });
    await rename(join(work, '.npmrc'), join(work, 'other'));
    await expect.poll(() => everything(sandbox, 'other'), { timeout: 20_000 }).not.toContain('canary');
  });

  it('stays hidden in the next session after a rename', async () => {
    await put('deploy/id_rsa', 'PRIVATE KEY canary');
    await start();
    await mkdir(join(work, 'tests'));
    await rename(join(work, 'deploy'), join(work, 'tests/deploy'));
    expect(await everything(await start(), 'tests/deploy/id_rsa')).not.toContain('canary');
  });

  // Catches: `.env` is often a link to the file of one environment, whose own name tells nothing.
  it("is also recognized when only a link to it has a secret's name", async () => {
    await put('env/prod.txt', 'API_SECRET=canary-h72hdkaHDh2');
    await put('env/host.pem.txt', 'PRIVATE KEY canary');
    await put('plans/a.md', 'canary');
    await put('src/code.py', 'open');
    await symlink('env/prod.txt', join(work, '.env'));
    await symlink('../env/host.pem.txt', join(work, 'src/id_rsa'));
    await symlink('code.py', join(work, 'src/id_ed25519'));
    await symlink('plans/a.md', join(work, 'private.md'));
    await symlink('..', join(work, 'src/.netrc'));
    const sandbox = await start(['private.md']);
    const ways = ['.env', 'env/prod.txt', 'src/id_rsa', 'env/host.pem.txt', 'plans/a.md', 'private.md', '.'];
    for (const path of ways)
      expect([path, (await everything(sandbox, path)).includes('canary')]).toEqual([path, false]);
    expect(await sandbox.files.read('src/code.py', {}, none)).toMatchObject({ ok: true });
  });

  it('is found by no search in a folder that was renamed meanwhile', async () => {
    await put('plans/deep/a.md', 'canary');
    const sandbox = await start(['plans']);
    await rename(join(work, 'plans'), join(work, 'open'));
    for (const path of ['.', 'open', 'open/deep', 'open/deep/a.md'])
      expect([path, (await everything(sandbox, path)).includes('canary')]).toEqual([path, false]);
  });

  it('is recognized in any case and Unicode form of its name', () => {
    const masks = ['.env', 'pläne/größe.txt', 'keys'].map((path) => ({ path, kind: 'file', identity: '7:7' }) as const);
    const { has } = hiddenFromReading(['Geheim/*'], masks);
    const same = [
      '.ENV',
      '.Env',
      'PLÄNE/GRÖSSE.TXT'.normalize('NFD'),
      'PLA\u0308NE/gröſſe.txt',
      '\u212aeys/a',
      'GEHEIM/x',
    ];
    expect([...same, 'other'].map((path) => has(path, []))).toEqual([true, true, true, true, true, true, false]);
    expect(has('other', [{ ino: 7n, birthtimeNs: 7n }])).toBe(true);
  });
});
