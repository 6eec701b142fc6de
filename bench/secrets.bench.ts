import { lstatSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { hideAssigned } from '@shared/safety/assigned-secrets.ts';
import { hideSecrets, secretShapes } from '@shared/safety/secret-patterns.ts';
import { madeSecrets } from '../tests/fakes/made-secrets.ts';
import { parsePartOptions } from './lib/part-options.ts';
import type { BenchRow } from './lib/rows.ts';

const defaults = { folders: 'node_modules', seeds: '200' } as const;

const parts = {
  made: ({ seeds }: Values) => measureMade(Number(seeds)),
  packages: ({ folders }: Values) => measurePackages(folders.split(',')),
};
type Values = Readonly<Record<keyof typeof defaults, string>>;

/** Measures what is hidden from a cloud model. */
export async function run(args: readonly string[]): Promise<readonly BenchRow[]> {
  const { only, values } = parsePartOptions(args, parts, defaults);
  return only.flatMap((name) => parts[name](values));
}

function measureMade(seeds: number): readonly BenchRow[] {
  let made = 0;
  const missed = new Set<string>();
  const kinds = new Set<string>();
  for (let seed = 1; seed <= seeds; seed += 1) {
    for (const { kind, text, secret } of madeSecrets(seed)) {
      made += 1;
      kinds.add(kind);
      if (hide(text, []).includes(secret)) missed.add(`${kind}: ${text}`);
    }
  }
  for (const one of missed) console.error(`shown: ${JSON.stringify(one)}`);
  const note = `of ${made} of ${kinds.size} kinds`;
  return [{ figure: 'made secrets that are shown', value: missed.size, unit: '', target: { atMost: 0 }, note }];
}

/** Each value that is hidden is printed with its place, to be judged by eye: a package may really hold a key. */
function measurePackages(folders: readonly string[]): readonly BenchRow[] {
  const sources = { files: 0, bytes: 0, packages: new Set<string>() };
  const found = new Map<string, string>();
  for (const folder of folders) {
    for (const path of filesIn(folder)) {
      const text = readFileSync(path, 'utf8');
      sources.files += 1;
      sources.bytes += text.length;
      sources.packages.add(packageOf(path));
      const values: string[] = [];
      hide(text, values);
      for (const value of values) if (!found.has(value)) found.set(value, path);
    }
  }
  for (const [value, path] of found) console.error(`${path}: ${JSON.stringify(value.slice(0, 100))}`);
  const size = `${sources.files} files, ${Math.round(sources.bytes / 1e6)} MB, ${sources.packages.size} packages`;
  const note = `${size}; the list above is to be judged`;
  return [{ figure: 'different values hidden in installed packages', value: found.size, unit: '', target: null, note }];
}

function hide(text: string, values: string[]): string {
  const mask = (kind: string, value: string): string => {
    values.push(value);
    return `[redacted:${kind}]`;
  };
  return hideAssigned(hideSecrets(text, secretShapes, mask).text, mask).text;
}

const isSource =
  /\.(?:[cm]?[jt]sx?|pyi?|json|ya?ml|toml|ini|cfg|sh|css|html?|md|txt|rst|[ch]|go|rb|java|rs|php|xml|lock|npmrc)$/u;
const mostBytes = 3_000_000;

function* filesIn(folder: string): Generator<string> {
  for (const name of readdirSync(folder)) {
    const path = join(folder, name);
    const facts = lstatSync(path);
    if (facts.isDirectory()) yield* filesIn(path);
    else if (facts.isFile() && facts.size < mostBytes && isSource.test(name)) yield path;
  }
}

/** The package that a file belongs to, by the last folder of packages above it. */
function packageOf(path: string): string {
  const parts = path.split('/');
  const at = Math.max(parts.lastIndexOf('node_modules'), parts.lastIndexOf('site-packages'));
  const name = parts[at + 1] ?? path;
  return name.startsWith('@') ? `${name}/${parts[at + 2] ?? ''}` : name;
}
