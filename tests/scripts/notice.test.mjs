import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { noticeText, shippedComponents } from '../../scripts/notice.mjs';

const root = resolve(import.meta.dirname, '../..');
const lock = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8'));
const components = shippedComponents(lock);

// The licenses whose packages a product under Apache-2.0 may install with no other duty than to name them.
const allowed = [
  'MIT',
  'ISC',
  'BSD-2-Clause',
  'BSD-3-Clause',
  '0BSD',
  'Apache-2.0',
  'BlueOak-1.0.0',
  'Unlicense',
  'Zlib',
];
/** What its file LICENSE holds are the two clauses. */
const allowedAsRead = ['duck: BSD'];

describe('the file NOTICE', () => {
  it('lists exactly what ships now', () => {
    expect(readFileSync(join(root, 'NOTICE'), 'utf8'), 'run: node scripts/notice.mjs').toBe(noticeText(components));
  });

  it('names a replacing package by its own name', () => {
    const packages = {
      '': { version: '1.0.0', dependencies: { engine: '2.0.0' } },
      'node_modules/engine': { version: '2.0.0', license: 'MIT', optionalDependencies: { 'engine-cuda': '2.0.0' } },
      'node_modules/engine-cuda': { name: 'colors', version: '1.1.1', license: 'ISC' },
    };
    const names = shippedComponents({ packages }).map(({ name }) => name);
    expect(names.filter((name) => !['react', 'react-dom'].includes(name))).toEqual(['colors', 'engine']);
  });

  it('names an allowed license for each package', () => {
    const isAllowed = (license) =>
      license.split(' OR ').some((part) => part.split(' AND ').every((one) => allowed.includes(one)));
    const others = components.filter(
      ({ name, license }) =>
        !isAllowed(license.replaceAll(/[()]/gu, '')) && !allowedAsRead.includes(`${name}: ${license}`),
    );
    expect(others.map(({ name, license }) => `${name}: ${license}`)).toEqual([]);
  });

  it('agrees with the installed packages', () => {
    const installed = components.flatMap(({ name, version, license }) => {
      const file = join(root, 'node_modules', name, 'package.json');
      if (!existsSync(file)) return [];
      const own = JSON.parse(readFileSync(file, 'utf8'));
      if (own.version !== version) return [];
      return [{ name, listed: license, own: own.license ?? own.licenses?.[0]?.type }];
    });
    expect(installed.length).toBeGreaterThan(100);
    expect(installed.filter(({ listed, own }) => listed !== own)).toEqual([]);
  });

  it('follows packages to where Node would find them, and no further', () => {
    const found = shippedComponents({
      packages: {
        '': { version: '1', dependencies: { a: '1', react: '1', 'react-dom': '1' } },
        'node_modules/a': { version: '1.0.0', license: 'MIT', dependencies: { b: '2' } },
        'node_modules/a/node_modules/b': { version: '2.0.0', license: 'ISC', optionalDependencies: { absent: '1' } },
        'node_modules/b': { version: '1.0.0', license: 'GPL-3.0' },
        'node_modules/react': { version: '19.0.0', license: 'MIT' },
        'node_modules/react-dom': { version: '19.0.0', license: 'MIT', dependencies: { scheduler: '1' } },
        'node_modules/scheduler': { version: '1.0.0', license: 'MIT' },
        'node_modules/tool': { version: '1.0.0', license: 'MIT' },
      },
    });
    expect(found.map(({ name, version }) => `${name} ${version}`)).toEqual([
      'a 1.0.0',
      'b 2.0.0',
      'react-dom 19.0.0',
      'react 19.0.0',
      'scheduler 1.0.0',
    ]);
  });
});
