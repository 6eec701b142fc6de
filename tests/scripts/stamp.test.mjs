import { mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { isInstalledAsLocked, keyOfFiles, readStamp, writeStamp } from '../../scripts/setup/stamp.mjs';

let folder = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'stamp-'));
  mkdirSync(join(folder, 'src', 'deep'), { recursive: true });
  writeFileSync(join(folder, 'src', 'deep', 'a.ts'), 'one');
  writeFileSync(join(folder, 'config.ts'), 'config');
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const key = () => keyOfFiles(folder, ['src', 'config.ts', 'absent.ts']);

describe('the key of a set of files', () => {
  it('stays the same while nothing changes', () => {
    expect(key()).toBe(key());
  });

  it('changes with a file that is added, removed, renamed or longer', () => {
    const keys = [key()];
    writeFileSync(join(folder, 'src', 'b.ts'), '');
    keys.push(key());
    rmSync(join(folder, 'config.ts'));
    keys.push(key());
    writeFileSync(join(folder, 'absent.ts'), '');
    keys.push(key());
    writeFileSync(join(folder, 'src', 'deep', 'a.ts'), 'longer');
    keys.push(key());
    expect(new Set(keys).size).toBe(keys.length);
  });

  it('changes with a file of the same size and another time', () => {
    const before = key();
    utimesSync(join(folder, 'src', 'deep', 'a.ts'), 1, 1);
    expect(key()).not.toBe(before);
  });
});

describe('a stamp', () => {
  it('is read as it was written, and is empty where there is none', () => {
    const file = join(folder, 'new', 'folder', '.stamp');
    expect(readStamp(file)).toBe('');
    writeStamp(file, 'abc');
    expect(readStamp(file)).toBe('abc');
  });
});

describe('the check of installed packages against the lock file', () => {
  const lock = {
    packages: {
      '': {},
      'node_modules/a': { version: '1.0.0' },
      'node_modules/for-windows': { version: '2.0.0', optional: true },
    },
  };

  it('accepts a tree without the optional packages of other systems', () => {
    expect(isInstalledAsLocked(lock, { packages: { 'node_modules/a': { version: '1.0.0' } } })).toBe(true);
  });

  it('refuses another version, also of an optional package, and a missing package', () => {
    expect(isInstalledAsLocked(lock, { packages: { 'node_modules/a': { version: '1.0.1' } } })).toBe(false);
    expect(isInstalledAsLocked(lock, {})).toBe(false);
    const optional = { 'node_modules/a': { version: '1.0.0' }, 'node_modules/for-windows': { version: '1.9.0' } };
    expect(isInstalledAsLocked(lock, { packages: optional })).toBe(false);
  });
});
