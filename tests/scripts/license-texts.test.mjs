import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { filesOf, packageOf } from '../../scripts/setup/bundle-facts.mjs';
import { licenseTexts } from '../../scripts/setup/license-texts.mjs';
import { isPackedFile } from '../../scripts/setup/packed-files.mjs';
import { root } from '../../scripts/setup/paths.mjs';

let base = '';
beforeEach(() => {
  base = mkdtempSync(join(tmpdir(), 'licenses-'));
  put('LICENSE', 'our own text');
  put('resources/licenses/engine.txt', 'text of the engine');
});
afterEach(() => rmSync(base, { recursive: true, force: true }));

function put(path, text) {
  mkdirSync(dirname(join(base, path)), { recursive: true });
  writeFileSync(join(base, path), text);
}

/** Lays out a package and returns its path. */
function packageWith(own, files = {}) {
  const path = `node_modules/${own.name}`;
  put(`${path}/package.json`, JSON.stringify({ version: '1.0.0', license: 'MIT', ...own }));
  for (const [name, text] of Object.entries(files)) put(`${path}/${name}`, text);
  return path;
}

describe('the license texts of a packed app', () => {
  it("begin with the app's own, then other parts, then packages", () => {
    const paths = [
      packageWith({ name: 'b' }, { 'LICENSE.md': 'text of b', NOTICE: 'notice of b', 'license-check.js': 'code' }),
      packageWith({ name: '@a/a', version: '2.0.0' }, { 'LICENCE-MIT': 'text of a' }),
    ];
    const text = licenseTexts(base, paths);
    const order = ['Dewpoint\n\nour own text', 'engine\n\ntext of the engine', '@a/a 2.0.0\n\ntext of a', 'b 1.0.0'];
    expect(order.map((part) => text.indexOf(part))).toEqual(
      order.map((part) => text.indexOf(part)).sort((x, y) => x - y),
    );
    expect(order.filter((part) => !text.includes(part))).toEqual([]);
    expect(text).toContain('text of b\n\nnotice of b');
    expect(text).not.toContain('code');
  });

  it('hold a shared text once, under the name of each package', () => {
    const paths = ['x', 'y'].map((name) => packageWith({ name }, { COPYING: 'one text\r\n' }));
    const text = licenseTexts(base, paths);
    expect(text).toContain('x 1.0.0\ny 1.0.0\n\none text\n');
    expect(text.split('one text')).toHaveLength(2);
  });

  it('use the standard text for a package without a license file', () => {
    const paths = [
      packageWith({ name: 'x', author: { name: 'Ada' } }, { NOTICE: 'a notice is no license' }),
      packageWith({ name: 'y', license: 'ISC', author: 'Grace <g@example.org>' }),
      packageWith({ name: 'z' }),
      packageWith({ name: 'w', license: 'Apache-2.0' }),
    ];
    const text = licenseTexts(base, paths);
    expect(text).toContain('Copyright (c) Ada\n\nPermission is hereby granted, free of charge');
    expect(text).toContain('Copyright (c) Grace <g@example.org>\n\nPermission to use, copy, modify');
    expect(text).toContain('Copyright (c) the authors of z\n');
    expect(text).toContain('Copyright (c) the authors of w\n\nLicensed under the Apache License, Version 2.0.');
  });

  it('cannot be made when a package has no file and no standard text', () => {
    const paths = [packageWith({ name: 'x', license: 'CDDL-1.0' })];
    expect(() => licenseTexts(base, paths)).toThrow('x 1.0.0 has no license file, and "CDDL-1.0" is none of MIT, ISC');
  });
});

describe('the package of a module', () => {
  it.each([
    ['node_modules/zod/index.js', 'node_modules/zod'],
    ['node_modules/@scope/a/node_modules/b/x/y.js?commonjs-module', 'node_modules/@scope/a/node_modules/b'],
    ['node_modules/a/dist/node_modules/b/x.js', 'node_modules/a'],
    ['src/main/index.ts', undefined],
  ])('%s: %s', (file, name) => {
    expect(packageOf(join(root, file))).toBe(name);
    expect(packageOf(`\0${join(root, file)}`)).toBe(name);
  });
});

it('the list of loaded files has what an entry of a build loads, even late and in circles, and no more', () => {
  const bundle = {
    'index.cjs': { imports: ['a.cjs', 'electron'], dynamicImports: ['b.cjs'] },
    'a.cjs': { imports: ['index.cjs'], dynamicImports: [] },
    'b.cjs': { imports: ['c.cjs'], dynamicImports: [] },
    'c.cjs': { imports: [], dynamicImports: ['b.cjs'] },
    'cli.cjs': { imports: ['c.cjs', 'd.cjs'], dynamicImports: [] },
    'd.cjs': {},
  };
  expect(filesOf(bundle, 'index.cjs')).toEqual(['a.cjs', 'b.cjs', 'c.cjs', 'index.cjs']);
  expect(filesOf(bundle, 'cli.cjs')).toEqual(['b.cjs', 'c.cjs', 'cli.cjs', 'd.cjs']);
});

it('packs nothing that is there to compile, test or read a package, and the program of one that is called so', () => {
  const ships = (file) => isPackedFile(`/app/node_modules/${file}`, 'linux-x64');
  expect(
    [
      'a/prebuilds/linux-x64/a.musl.node',
      'a/src/a.cpp',
      'a/include/a.h',
      'a/test/all.js',
      '@scope/a/docs/a.js',
      'web-tree-sitter/debug/web-tree-sitter.wasm',
      'a/a.js.map',
      'a/a.d.mts',
    ].filter(ships),
  ).toEqual([]);
  const needed = ['debug/src/index.js', '@scope/debug/index.js', 'a/dist/docs/a.js', 'a/prebuilds/linux-x64/a.node'];
  expect(needed.filter((file) => !ships(file))).toEqual([]);
});
