import { isAbsolute, join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { findDataFolders } from '../../../../src/main/lib/files/data-folders.ts';

const { HOME } = process.env;
afterEach(() => {
  process.env.HOME = HOME;
});

describe('where state and cache lie', () => {
  it.each(['linux', 'darwin'] as const)(
    'is a whole path on %s where HOME is empty, as in a bare service',
    (platform) => {
      process.env.HOME = '';
      const { home, cache } = findDataFolders({}, platform);
      expect([isAbsolute(home), isAbsolute(cache)]).toEqual([true, true]);
    },
  );

  it('does not follow a path that is not whole: state would lie in whatever folder one is in', () => {
    const given = { XDG_DATA_HOME: 'data', XDG_CACHE_HOME: './cache' };
    expect(findDataFolders(given, 'linux')).toEqual(findDataFolders({}, 'linux'));
    const whole = { XDG_DATA_HOME: '/data', XDG_CACHE_HOME: '/cache' };
    expect(findDataFolders(whole, 'linux')).toEqual({
      home: join('/data', 'dewpoint'),
      cache: join('/cache', 'dewpoint'),
    });
  });
});
