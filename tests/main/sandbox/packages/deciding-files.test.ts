import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { findParts, keyOf } from '../../../../src/main/sandbox/packages/find-parts.ts';
import { readProject } from '../../../../src/main/sandbox/packages/package-files.ts';

const place = { imageId: 'sha256:0', projectPath: '/p' };
let folder = '';
beforeEach(async () => void (folder = await mkdtemp(join(tmpdir(), 'dewpoint-deciding-'))));
afterEach(() => rm(folder, { recursive: true, force: true }));

type Files = Readonly<Record<string, string>>;

async function keysOf(files: Files): Promise<readonly string[]> {
  for (const [path, text] of Object.entries(files)) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), text);
  }
  const { top, below, texts } = await readProject(folder, new AbortController().signal);
  return findParts(top, {}, below).map((part) => keyOf(part, texts, place));
}

const uvLock = {
  'uv.lock': '',
  'pyproject.toml': '[project]\nname = "a"\n[tool.uv.workspace]\nmembers = ["libs/*"]\n',
};
const rootPackage = '{"workspaces": ["packages/*"]}';

/** Every language of which packages are prepared: a project, and a file that decides as much as the one at its top. */
const deciding: readonly (readonly [string, Files, string])[] = [
  ['a member of a workspace of uv', uvLock, 'libs/core/pyproject.toml'],
  [
    'a list that another one takes in',
    { 'requirements.txt': '-r server/requirements.txt\n' },
    'server/requirements.txt',
  ],
  [
    'a member of a workspace of npm',
    { 'package.json': rootPackage, 'package-lock.json': '{}' },
    'packages/a/package.json',
  ],
  ['the settings of npm', { 'package.json': '{"dependencies": {"a": "1"}}' }, '.npmrc'],
  [
    'a module of a Go workspace',
    { 'go.mod': 'module a\nrequire b v1\n', 'go.work': 'go 1.23\nuse ./api\n' },
    'api/go.mod',
  ],
  ['a member of a Cargo workspace', { 'Cargo.toml': '[workspace]\nmembers = ["crates/*"]\n' }, 'crates/a/Cargo.toml'],
  ['the configuration of Cargo', { 'Cargo.toml': '[dependencies]\nitoa = "1"\n' }, '.cargo/config.toml'],
  ['a module of Maven', { 'pom.xml': '<project><modules><module>core</module></modules></project>' }, 'core/pom.xml'],
  ['the extensions of Maven', { 'pom.xml': '<project/>' }, '.mvn/extensions.xml'],
  ['a gemspec', { Gemfile: 'gemspec\n' }, 'thing.gemspec'],
  ['a gemspec below', { Gemfile: 'gem "core", path: "core"\n' }, 'core/core.gemspec'],
  [
    'a package of Composer below',
    { 'composer.json': '{"repositories": [{"type": "path", "url": "packages/*"}]}' },
    'packages/a/composer.json',
  ],
];

describe('prepared packages', () => {
  it.each(deciding)('are outdated after a change of %s', async (_name, files, path) => {
    const before = await keysOf({ ...files, [path]: 'first' });
    expect(before).toHaveLength(1);
    expect(await keysOf({ ...files, [path]: 'second' })).not.toEqual(before);
    expect(await keysOf({ ...files, [path]: 'first', 'core/notes.md': 'more' })).toEqual(before);
  });

  it('stay as they are after a change of a folder that the project does not take in', async () => {
    const files = { 'package.json': '{"dependencies": {"a": "1"}}', 'package-lock.json': '{}' };
    const before = await keysOf({ ...files, 'website/package.json': '{"name": "first"}' });
    expect(await keysOf({ ...files, 'website/package.json': '{"name": "second"}' })).toEqual(before);
  });

  it('leave a folder below with a lock file of its own to its own part', async () => {
    const own = { 'web/package.json': '{"dependencies": {"a": "1"}}', 'web/package-lock.json': '{}' };
    const files = { 'package.json': '{"workspaces": ["web"]}', 'package-lock.json': '{}', ...own };
    const [top, web] = await keysOf(files);
    const after = await keysOf({ ...files, 'web/package.json': '{"dependencies": {"a": "2"}}' });
    expect(web).toBeDefined();
    expect(after[0]).toBe(top);
    expect(after[1]).not.toBe(web);
  });
});
