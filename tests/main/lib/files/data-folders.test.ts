import { isAbsolute, join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { findDataFolders } from '../../../../src/main/lib/files/data-folders.ts';

const { HOME } = process.env;
afterEach(() => {
  process.env.HOME = HOME;
});

describe('the place of state and cache', () => {
  it.each(['linux', 'darwin'] as const)(
    'is a whole path on %s when HOME is empty, as in a bare service',
    (platform) => {
      process.env.HOME = '';
      const { home, cache } = findDataFolders({}, platform);
      expect([isAbsolute(home), isAbsolute(cache)]).toEqual([true, true]);
    },
  );

  it('ignores a variable with a relative path', () => {
    const given = { XDG_DATA_HOME: 'data', XDG_CACHE_HOME: './cache' };
    expect(findDataFolders(given, 'linux')).toEqual(findDataFolders({}, 'linux'));
    const whole = { XDG_DATA_HOME: '/data', XDG_CACHE_HOME: '/cache' };
    expect(findDataFolders(whole, 'linux')).toEqual({
      home: join('/data', 'dewpoint'),
      cache: join('/cache', 'dewpoint'),
    });
  });
});
