import { mkdir, mkdtemp, realpath, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { lookAt } from '../../../src/main/sandbox/docker/look-at-project.ts';
import { isSecretText, secretKind } from '../../../src/main/sandbox/secret-files.ts';
import { scanWorkspace } from '../../../src/main/sandbox/workspace-scan.ts';

const none = new AbortController().signal;

describe('a secret file', () => {
  it('is known by its name', () => {
    const secret = [
      '.env',
      '.env.local',
      '.env.production',
      'api/.env',
      'prod.env',
      '.netrc',
      '.aws/credentials',
      '.pypirc',
      'deploy/app.p12',
      '.kube/config',
      '.docker/config.json',
      'service-account-prod.json',
      '.streamlit/secrets.toml',
      'credentials.json',
    ];
    expect(secret.filter((path) => secretKind(path) !== 'secret')).toEqual([]);
    expect(['key.pem', 'tls/server.key', '.ssh/id_ed25519', 'id_rsa'].map(secretKind)).toEqual(
      Array(4).fill('private-key'),
    );
    expect(['.npmrc', 'pip.conf'].map(secretKind)).toEqual(['token', 'token']);
  });

  it('is not what only looks like one, or is made for tests', () => {
    const plain = [
      '.env.example',
      '.env.sample',
      '.env.test',
      '.envrc',
      'environment.ts',
      'id_rsa.pub',
      'secrets.py',
      'src/credentials.ts',
      'tests/fixtures/server.pem',
      'test/keys/id_rsa',
      'src/env.ts',
      'config.json',
      'tests/credentials.json',
      'package.json',
    ];
    expect(plain.filter((path) => secretKind(path) !== null)).toEqual([]);
  });

  it('shows in its text whether it is one, where the name does not', () => {
    expect(isSecretText('private-key', '-----BEGIN OPENSSH PRIVATE KEY-----')).toBe(true);
    expect(isSecretText('private-key', '-----BEGIN CERTIFICATE-----')).toBe(false);
    expect(isSecretText('token', '//registry.example/:_authToken=npm_abc')).toBe(true);
    expect(isSecretText('token', '//registry.example/:_authToken=${NPM_TOKEN}\nsave-exact=true')).toBe(false);
    expect(isSecretText('token', '[global]\nindex-url = https://me:pass@host.example/simple')).toBe(true);
  });
});

describe('looking through a project', () => {
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
    lookAt({ workspacePath: folder, settings: { unmask: [...unmask] }, homePath: join(base, 'home'), masks }, none);
  const look = async (unmask: readonly string[] = []) => {
    const { masks, warnings } = await lookWith(unmask, []);
    return { masks: masks.map(({ path }) => path), warnings };
  };

  it('finds secrets, repositories and links to elsewhere, without following a link', async () => {
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
      isCut: false,
    });
    await expect(scanWorkspace(folder, AbortSignal.abort())).rejects.toThrow();
  });

  it('hides secrets, says so, and shows the ones that a person named', async () => {
    await put('work/.env', 'X=1');
    await put('work/api/.env', 'X=1');
    const all = await look();
    expect([all.masks, all.warnings]).toEqual([
      ['.env', 'api/.env'],
      [expect.stringContaining(`sandbox.unmask '["${join(folder, '.env')}"]'`)],
    ]);
    expect((await look([join(folder, '.env')])).masks).toEqual(['api/.env']);
    expect((await look(['api/.env', './.env'])).masks).toEqual([]);
    expect((await look(['/elsewhere/.env'])).masks).toEqual(['.env', 'api/.env']);
  });

  it.skipIf(process.platform !== 'linux')(
    'says what it cannot hide for its name, and starts nothing with rules that mask',
    async () => {
      await writeFile(
        Buffer.concat([Buffer.from(`${folder}/`), Buffer.from([0xff]), Buffer.from('.pem')]),
        'PRIVATE KEY',
      );
      const { masks, warnings } = await look();
      expect([masks, warnings]).toEqual([[], [expect.stringMatching(/^1 name of a file or folder is no text/)]]);
      await expect(lookWith([], ['*.txt'])).rejects.toMatchObject({ code: 'refused' });
    },
  );

  it('hides what a rule masks, folders as a whole, and rather starts nothing than hide a part', async () => {
    await put('work/plans/a.md', 'x');
    await put('work/plans/deep/.env', 'X=1');
    await put('work/notes.txt', 'x');
    await put('work/src/a.py', 'x');
    const found = await lookWith(['notes.txt'], ['plans', '*.txt']);
    expect(found.masks.toSorted((left, right) => (left.path < right.path ? -1 : 1))).toEqual([
      { path: 'notes.txt', kind: 'file' },
      { path: 'plans', kind: 'folder' },
    ]);
    expect(found.warnings.join(' ')).toContain('plans/');
    for (let at = 0; at < 201; at += 1) await put(`work/many/${at}.txt`, 'x');
    await expect(lookWith([], ['*.txt'])).rejects.toMatchObject({ code: 'refused' });
  });
});
