import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { packageRegistry } from '../../../../src/main/models/engine/package-registry.ts';
import { testPrograms } from '../../../fakes/test-programs.ts';

/**
 * Catches: a download from another registry than the user set for npm, and a download that needs npm to be installed.
 */
const signal = new AbortController().signal;
let dir: string;
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'dewpoint-registry-'));
});
afterEach(() => rm(dir, { recursive: true, force: true }));

const ask = (env: Record<string, string>, npm: readonly [string, ...string[]] | null = null) =>
  packageRegistry({ env, homeFolder: dir, programs: testPrograms(), npm: async () => npm }, signal);

it('the registry of packages is that of the scope, then the environment, the own file, and npm', async () => {
  const npm = ['sh', '-c', 'echo https://npm.example/'] as const;
  expect(await ask({}, npm)).toBe('https://npm.example');
  await writeFile(join(dir, '.npmrc'), '; mine\nregistry = "https://file.example/npm/"\nalways-auth=true\n');
  expect(await ask({}, npm)).toBe('https://file.example/npm');
  expect(await ask({ npm_config_registry: 'http://environment.example' }, npm)).toBe('http://environment.example');
  await writeFile(join(dir, '.npmrc'), '@node-llama-cpp:registry=https://scope.example/\n');
  expect(await ask({ npm_config_registry: 'http://environment.example' }, npm)).toBe('https://scope.example');
});

it('the registry of packages is unknown without npm and a setting, or with an invalid address', async () => {
  expect(await ask({})).toBeNull();
  expect(await ask({ npm_config_registry: 'file:///etc' }, ['sh', '-c', 'exit 1'])).toBeNull();
  await writeFile(join(dir, '.npmrc'), 'registry=${REGISTRY}\n');
  expect(await ask({})).toBeNull();
});
