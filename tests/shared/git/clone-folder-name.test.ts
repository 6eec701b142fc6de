import { describe, expect, it } from 'vitest';
import { cloneFolderName } from '@shared/git/clone-folder-name.ts';
import { cloneAddress } from '../../../src/main/git/clone/clone-address.ts';

const names: readonly (readonly [path: string, name: string | null])[] = [
  ['ada/app.git', 'app'],
  ['ada/app/', 'app'],
  ['ada/app.git/', 'app'],
  ['ada/a%20b.git', 'a b'],
  ['ada/%C3%BCber', 'über'],
  ['ada/über', 'über'],
  ['ada/my.app-2', 'my.app-2'],
  ['ada/a%2Fb', null],
  ['ada/a%zz', null],
  ['ada/.git', null],
  ['ada/.hidden', null],
  ['ada/-x', null],
  ['ada/a%E2%80%AEb', null],
  ['ada/a.', null],
  ['ada/con.git', null],
  ['ada/COM¹.txt', null],
  ['ada/console', 'console'],
];

describe('the folder of a clone', () => {
  // Catches: the window put the same address into `a%20b`, and the command line into `a b`.
  it.each(names)('of %s has one name, however the address is read', (path, name) => {
    const address = `https://example.org/${path}`;
    expect([cloneFolderName(address), cloneAddress(address).name]).toEqual([name, name]);
  });

  it('has a name where the address is by SSH, and none where there is no path', () => {
    expect(cloneFolderName('ada@example.org:ada/app.git')).toBe('app');
    expect(cloneFolderName('ada@example.org:app.git')).toBe('app');
    for (const address of ['', '/', 'https://', 'https://example.org/ada/..', 'https://example.org/ada/app?x'])
      expect(cloneFolderName(address), address).toBeNull();
  });
});
