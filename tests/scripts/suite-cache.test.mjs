import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { makeSuiteCache, removeOldSuiteCaches, suiteCacheName } from '../../scripts/setup/suite-cache.mjs';

let cache = '';
beforeEach(() => {
  cache = mkdtempSync(join(tmpdir(), 'suite-cache-'));
  for (const folder of ['models', 'images/debs', 'ollama-server']) mkdirSync(join(cache, folder), { recursive: true });
  for (const name of ['small', 'large']) writeFileSync(join(cache, 'models', `${name}.gguf`), name);
  writeFileSync(join(cache, 'images', 'debs', 'a.deb'), 'a');
});
afterEach(() => rmSync(cache, { recursive: true, force: true }));

describe('the cache that a suite sees', () => {
  it('holds the models and images that its needs name, and nothing else', () => {
    // Catches a test that passes only because another suite, or a person, downloaded its model.
    const folder = makeSuiteCache(['build', 'model:llama-cpp/small', 'image'], { cache, name: 'test-run-1-unit' });
    expect(readdirSync(folder).toSorted()).toEqual(['images', 'models']);
    expect(readdirSync(join(folder, 'models'))).toEqual(['small.gguf']);
    expect(readFileSync(join(folder, 'images', 'debs', 'a.deb'), 'utf8')).toBe('a');
    expect(statSync(join(folder, 'models', 'small.gguf')).ino).toBe(statSync(join(cache, 'models', 'small.gguf')).ino);
  });

  it('is empty for a suite without needs, also after an earlier use', () => {
    const folder = makeSuiteCache(['model:llama-cpp/large'], { cache, name: 'test-run-1-unit' });
    writeFileSync(join(folder, 'left.txt'), '');
    expect(makeSuiteCache([], { cache, name: 'test-run-1-unit' })).toBe(folder);
    expect(readdirSync(folder)).toEqual(['models']);
    expect(readdirSync(join(folder, 'models'))).toEqual([]);
  });

  it('is removed after its run, even if that run was killed', () => {
    mkdirSync(join(cache, 'test-run-999999999-unit'));
    mkdirSync(join(cache, suiteCacheName('unit')));
    removeOldSuiteCaches(cache);
    expect(existsSync(join(cache, 'test-run-999999999-unit'))).toBe(false);
    expect(existsSync(join(cache, suiteCacheName('unit')))).toBe(true);
    expect(existsSync(join(cache, 'models', 'small.gguf'))).toBe(true);
    removeOldSuiteCaches(join(cache, 'none'));
  });
});
