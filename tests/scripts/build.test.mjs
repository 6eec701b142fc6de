import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { replaceBuild } from '../../scripts/setup/build.mjs';

let folder = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'build-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const write = (path, text) => {
  mkdirSync(dirname(join(folder, path)), { recursive: true });
  writeFileSync(join(folder, path), text);
};

describe('the replacement of a build', () => {
  it('keeps recent files of the old build, and removes those that are days old', () => {
    write('out/main/cli.cjs', 'old');
    write('out/main/chunk-young.cjs', 'old');
    write('out/main/chunk-ancient.cjs', 'old');
    write('out/bench/main.mjs', 'not part of this build');
    for (const path of ['out/main/chunk-ancient.cjs', 'out/bench/main.mjs']) utimesSync(join(folder, path), 1, 1);
    write('out/.next/main/cli.cjs', 'new');
    write('out/.next/renderer/index.html', 'new');

    replaceBuild(join(folder, 'out', '.next'), join(folder, 'out'), ['main', 'preload', 'renderer']);

    expect(readFileSync(join(folder, 'out/main/cli.cjs'), 'utf8')).toBe('new');
    const there = ['main/chunk-young.cjs', 'main/chunk-ancient.cjs', 'renderer/index.html', 'bench/main.mjs', '.next'];
    expect(there.filter((path) => existsSync(join(folder, 'out', path)))).toEqual([
      'main/chunk-young.cjs',
      'renderer/index.html',
      'bench/main.mjs',
    ]);
  });
});
