import { mkdir, mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import {
  findPackageSources,
  openSources,
  type SourceSearch,
} from '../../../../src/main/sandbox/packages/package-sources.ts';

let home = '';
const search = (more: Partial<SourceSearch> = {}): SourceSearch => ({
  env: {},
  homeDirectory: home,
  machineFolder: home,
  platform: 'linux',
  projectNpmrc: '',
  certificates: [],
  ...more,
});

async function put(path: string, text: string): Promise<string> {
  const file = join(home, path);
  await mkdir(join(file, '..'), { recursive: true });
  await writeFile(file, text);
  return file;
}

describe('the package registries of a person', () => {
  beforeEach(async () => {
    home = await mkdtemp(join(tmpdir(), 'dewpoint-sources-'));
  });

  it('come from the settings of pip, the environment before files, with passwords marked as secrets', async () => {
    await put(
      '.config/pip/pip.conf',
      '[global]\nindex-url = https://old.example.org/simple\nextra-index-url =\n  https://me:pass-word@two.example.org/s\n',
    );
    const found = await findPackageSources(search({ env: { PIP_INDEX_URL: 'https://one.example.org/simple' } }));
    expect(found.hosts).toEqual({ python: ['one.example.org', 'two.example.org'], javascript: [] });
    expect(found.env).toMatchObject({
      PIP_INDEX_URL: 'https://one.example.org/simple',
      PIP_EXTRA_INDEX_URL: 'https://me:pass-word@two.example.org/s',
    });
    expect(found.secrets).toContain('pass-word');
  });

  it("are read from pip.conf by the rules of Python's INI files", async () => {
    await put(
      '.config/pip/pip.conf',
      '[global]\n  # ours\n  index_url : https://one.example.org/a;b#c\n  extra-index-url=https://two.example.org/s\n' +
        '    ; no longer\n    https://three.example.org/s\n[install]\ncert = "C:\\\\ca.pem"\n[list]\nindex-url = https://no.example.org/\n',
    );
    const found = await findPackageSources(search());
    expect(found.env).toMatchObject({
      PIP_INDEX_URL: 'https://one.example.org/a;b#c',
      PIP_EXTRA_INDEX_URL: 'https://two.example.org/s https://three.example.org/s',
    });
  });

  it('cannot add an option through a quoted .npmrc text, nor come from a huge file', async () => {
    const ends =
      '"registry"="https://npm.example.org/\\nscript-shell=/bin/evil"\n@team:registry=https://t.example.org/\n';
    expect((await findPackageSources(search({ projectNpmrc: ends }))).npmrc).toBe(
      '@team:registry=https://t.example.org/\n',
    );
    const large = `registry=https://npm.example.org/\n${'; \n'.repeat(400_000)}`;
    expect((await findPackageSources(search({ projectNpmrc: large }))).npmrc).toBe('');
  });

  it('keep settings of npm that are true or false', async () => {
    const projectNpmrc = '//npm.example.org/:always-auth=true\n//npm.example.org/:email=a@b.example ; mine\n';
    expect((await findPackageSources(search({ projectNpmrc }))).npmrc).toBe(
      '//npm.example.org/:always-auth=true\n//npm.example.org/:email=a@b.example\n',
    );
  });

  it('come from the .npmrc of the person and the project, with tokens kept out of the file', async () => {
    await put(
      '.npmrc',
      'registry=https://npm.example.org/\nfund=false\n//npm.example.org/:_authToken=abc-secret\nscript-shell=/bin/evil\n',
    );
    const projectNpmrc = '@team:registry=https://team.example.org/\n//team.example.org/:_authToken=${TEAM_TOKEN}\n';
    const found = await findPackageSources(search({ projectNpmrc, env: { TEAM_TOKEN: 'team-secret' } }));
    expect(found.hosts.javascript).toEqual(['npm.example.org', 'team.example.org']);
    expect(found.npmrc).toBe(
      'registry=https://npm.example.org/\n//npm.example.org/:_authToken=${DEWPOINT_NPM_0}\n@team:registry=https://team.example.org/\n//team.example.org/:_authToken=${DEWPOINT_NPM_1}\n',
    );
    expect(found.env).toEqual({ DEWPOINT_NPM_0: 'abc-secret', DEWPOINT_NPM_1: 'team-secret' });
    expect(found.secrets).toEqual(['abc-secret', 'team-secret']);
  });

  it('come with each certificate file that the person trusts, once', async () => {
    const pem = '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----';
    const file = await put('ca.pem', pem);
    const found = await findPackageSources(
      search({ env: { PIP_CERT: file, NODE_EXTRA_CA_CERTS: file }, certificates: [file] }),
    );
    expect(found.certificates.split('AAAA')).toHaveLength(2);
  });

  it("are passed to a model's command without secrets, and only for hosts that it may reach", async () => {
    await put('.npmrc', 'registry=https://npm.example.org/\n//npm.example.org/:_authToken=tok-en\n');
    const env = {
      PIP_INDEX_URL: 'https://one.example.org/simple',
      PIP_EXTRA_INDEX_URL: 'https://me:word@two.example.org/s',
    };
    const found = await findPackageSources(search({ env }));
    const hosts = ['one.example.org', 'two.example.org', 'npm.example.org'];
    expect(openSources(found, hosts)).toEqual({
      PIP_INDEX_URL: 'https://one.example.org/simple',
      UV_DEFAULT_INDEX: 'https://one.example.org/simple',
      npm_config_registry: 'https://npm.example.org/',
    });
    expect(openSources(found, ['other.example.org'])).toEqual({});
  });
});
