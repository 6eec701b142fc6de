import { isAbsolute } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { cacheDir } from '../../scripts/setup/paths.mjs';
import { findDataFolders } from '../../src/main/lib/files/data-folders.ts';

const { HOME } = process.env;
afterEach(() => {
  process.env.HOME = HOME;
});

describe('the cache of the scripts', () => {
  it.each(['linux', 'darwin'])('is that of the program on %s, a whole path also where HOME is empty', (platform) => {
    for (const env of [{}, { XDG_CACHE_HOME: './cache' }, { XDG_CACHE_HOME: '/cache' }, { DEWPOINT_CACHE: 'mine' }]) {
      expect(cacheDir(env, platform)).toBe(findDataFolders(env, platform).cache);
      process.env.HOME = '';
      expect(cacheDir(env, platform)).toBe(findDataFolders(env, platform).cache);
      expect(isAbsolute(cacheDir(env, platform))).toBe(true);
      process.env.HOME = HOME;
    }
  });
});
