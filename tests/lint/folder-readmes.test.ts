import { readFileSync, readdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';

/** Catches: a file that the README of its folder does not name, and a README that names a file which is gone. */
const main = resolve(import.meta.dirname, '../../src/main');
const folders = readdirSync(main, { withFileTypes: true }).filter((entry) => entry.isDirectory());
const everywhere = ['src', 'tests']
  .flatMap((part) => readdirSync(resolve(main, '../..', part), { recursive: true, encoding: 'utf8' }))
  .map((path) => path.split(/[/\\]/u).at(-1));

/** The names between backticks. `*` matches any letters. */
function namesIn(text: string): readonly string[] {
  return [...text.matchAll(/`([^`]+)`/gu)].map(([, name = '']) => name.split('/').at(-1) ?? '');
}

function isNamed(file: string, names: readonly string[]): boolean {
  const stem = file.replace(/\.ts$/u, '');
  return names.some((name) => {
    const pattern = name.replace(/\.ts$/u, '').replaceAll('.', '\\.').replaceAll('*', '.*');
    return new RegExp(`^${pattern}(\\.(tool|rule|recipe|provider))?$`, 'u').test(stem);
  });
}

describe.each(folders.map(({ name }) => name))('the README of src/main/%s', (folder) => {
  const text = readFileSync(join(main, folder, 'README.md'), 'utf8');
  const names = namesIn(text);

  it('has at most 20 lines', () => {
    expect(text.trimEnd().split('\n').length).toBeLessThanOrEqual(20);
  });

  it('names every file of the folder', () => {
    const files = readdirSync(join(main, folder)).filter((file) => file.endsWith('.ts'));
    expect(files.filter((file) => !isNamed(file, names))).toEqual([]);
  });

  it('names only files that exist', () => {
    const exact = names.filter((name) => /^[a-z0-9-]+(\.[a-z]+)?\.ts$/u.test(name));
    expect(exact.filter((name) => !everywhere.includes(name))).toEqual([]);
  });
});
