import { readdirSync, readFileSync, existsSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { suites } from '../../scripts/setup/test-suites.mjs';
import config from '../../vitest.config.ts';

// What in a file of tests says that it uses a part of the machine, and the need that brings the part. `runSuite` gives a
// suite no other environment and no more of the cache than its needs name, so what this table misses still shows.
const signs = [
  [/DEWPOINT_TEST_OLLAMA\b/u, 'ollama'],
  [/DEWPOINT_TEST_LLAMA_SERVER\b/u, 'llama-server'],
  [/_electron\b[^;]*from 'playwright-core'/u, 'electron'],
  [/_electron\b[^;]*from 'playwright-core'/u, 'display'],
  [/'out[/']|out\/main/u, 'build'],
  [/gnome-keyring/u, 'keyring'],
  [/from '[^']*docker-kit\.ts'|dockerSandbox|createDockerSandbox/u, 'docker'],
  [/from '[^']*docker-kit\.ts'|dockerSandbox|createDockerSandbox/u, 'image'],
  [/DEWPOINT_TEST_CHROMIUM\b/u, 'chromium'],
  [/'podman'/u, 'podman'],
  [/rootlesskit/u, 'rootless'],
];
// Only here are models loaded. Elsewhere their names are data.
const withModels = ['engines', 'gpu', 'faults', 'e2e'];
const model = /'(?:llama-cpp\/)?((?:qwen2\.5-coder-[\d.]+b|smollm2-\d+m)-instruct)'/gu;

describe('the needs of a suite', () => {
  it.each(parts())('$name has those of $file', ({ name, file, needs }) => {
    const used = usesOf(file, withModels.includes(name));
    expect(used.filter((need) => !needs.includes(need))).toEqual([]);
  });

  it('are read from the files: a test of a server with a model of its own shows both', () => {
    // Catches a table that has gone blind.
    expect(usesOf('tests/engines/llama-server.test.ts', true)).toEqual(
      expect.arrayContaining(['llama-server', 'model:llama-cpp/qwen2.5-coder-1.5b-instruct']),
    );
    expect(usesOf('tests/electron/smoke.test.ts', false)).toEqual(expect.arrayContaining(['electron', 'display']));
    expect(usesOf('tests/docker/sandbox-commands.test.ts', false)).toEqual(expect.arrayContaining(['docker', 'image']));
  });
});

/**
 * Every file of tests of the suites with real parts, and every slice, with the needs that it may lean on. The unit
 * tests use the built program alone: what else they name there are fakes.
 */
function parts() {
  const projects = config.test.projects.map(({ test }) => test);
  return suites.flatMap(({ name, needs, slice }) => {
    const project = projects.find((one) => one.name === name);
    if (project === undefined || needs.length === 0 || name === 'unit') return [];
    const files = project.include.flatMap(filesOf);
    const whole = files.map((file) => ({ name, file, needs }));
    return [...whole, ...(slice?.files ?? []).map((file) => ({ name, file, needs: slice.needs }))];
  });
}

/** @param {string} pattern of vitest.config.ts, such as `tests/docker/** /*.test.{ts,tsx,mjs}` */
function filesOf(pattern) {
  const [, folder = '', name = ''] = /^(tests\/[^/]+)\/(?:\*\*\/)?([^/]+)\.test\.\{ts,tsx,mjs\}$/u.exec(pattern) ?? [];
  if (folder === '') throw new Error(`a pattern of another form: ${pattern}`);
  return readdirSync(folder, { recursive: true })
    .filter((file) => /\.test\.(?:ts|tsx|mjs)$/u.test(file) && (name === '*' || file.startsWith(`${name}.`)))
    .map((file) => join(folder, file));
}

/** @param {string} file @param {boolean} loadsModels @returns {string[]} */
function usesOf(file, loadsModels) {
  const texts = withImports(file, new Set()).map((path) => readFileSync(path, 'utf8'));
  const found = signs.flatMap(([sign, need]) => (texts.some((text) => sign.test(text)) ? [need] : []));
  if (!loadsModels) return found;
  const models = texts.flatMap((text) => [...text.matchAll(model)].map(([, id]) => `model:llama-cpp/${id}`));
  return [...new Set([...found, ...models])];
}

/** The file and what it imports below tests. @param {string} file @param {Set<string>} seen @returns {string[]} */
function withImports(file, seen) {
  if (seen.has(file) || !existsSync(file)) return [];
  seen.add(file);
  const text = readFileSync(file, 'utf8').replaceAll(/^import type [^;]*;$/gmu, '');
  const imported = [...text.matchAll(/(?:from|import\() ?'(\.[^']+)'/gu)].map(([, path]) => join(dirname(file), path));
  const below = imported.filter((path) => resolve(path).startsWith(resolve('tests')));
  return [file, ...below.flatMap((path) => withImports(path, seen))];
}
