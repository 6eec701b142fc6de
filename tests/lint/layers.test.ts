import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, describe, expect, it } from 'vitest';

/** Catches: a layer that compiles with names that are not there when it runs, or with files of another layer. */
const root = resolve(import.meta.dirname, '../..');
// Below the checkout, so that packages are found. Git ignores it.
mkdirSync(join(root, '.cache'), { recursive: true });
const folder = mkdtempSync(join(root, '.cache', 'layers-'));
afterAll(() => rmSync(folder, { recursive: true }));

const names = ['process', 'Buffer', 'document', 'localStorage', 'setTimeout', 'URL', 'TextDecoder'] as const;

const layers = [
  { layer: 'shared', knows: ['URL', 'TextDecoder'], include: ['.'] },
  {
    layer: 'main',
    knows: ['process', 'Buffer', 'localStorage', 'setTimeout', 'URL', 'TextDecoder'],
    include: ['.', '../shared', '../../resources/*.json'],
  },
  {
    layer: 'renderer',
    knows: ['document', 'localStorage', 'setTimeout', 'URL', 'TextDecoder'],
    include: ['.', '../shared'],
  },
  {
    layer: 'preload',
    knows: ['document', 'localStorage', 'setTimeout', 'URL', 'TextDecoder'],
    include: ['.', '../shared'],
  },
];

describe.each(layers)('the layer $layer', ({ layer, knows, include }) => {
  const config = join(root, 'src', layer, 'tsconfig.json');

  // A compiler that starts anew: on a busy machine it takes minutes.
  it('compiles with exactly the names that exist when it runs', { timeout: 300_000 }, async () => {
    const files = names.map((name) => join(folder, `${layer}-${name}.ts`));
    for (const [index, path] of files.entries()) writeFileSync(path, `export const value = ${names[index]};\n`);
    const own = layer === 'shared' ? [join(root, 'src/shared/standard-names.d.ts')] : [];
    const project = join(folder, `${layer}.json`);
    const compilerOptions = { composite: false, tsBuildInfoFile: null };
    writeFileSync(
      project,
      JSON.stringify({ extends: config, compilerOptions, include: [], files: [...own, ...files] }),
    );
    const tsc = join(root, 'node_modules/typescript/bin/tsc');
    const done: unknown = await promisify(execFile)(process.execPath, [tsc, '-p', project]).catch(
      (error: unknown) => error,
    );
    const said = String(Reflect.get(Object(done), 'stdout'));
    expect(names.filter((name) => !said.includes(`${layer}-${name}.ts`))).toEqual(
      names.filter((name) => knows.includes(name)),
    );
  });

  it('imports only its own files and those of shared', () => {
    const read = JSON.parse(readFileSync(config, 'utf8'));
    expect(read).toMatchObject({ compilerOptions: { composite: true }, include });
  });
});
