import { existsSync } from 'node:fs';
import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import type { BenchRow } from './rows.ts';

const names = z.union([z.string(), z.array(z.string())]).optional();
const lockSchema = z.object({ packages: z.record(z.string(), z.object({ os: names, cpu: names })) });

/** The size of the engine in an installation by the lock file, on a machine like this one. */
export async function engineSizeRow(): Promise<BenchRow> {
  const { packages } = lockSchema.parse(JSON.parse(await readFile('package-lock.json', 'utf8')));
  const isHere = (wanted: z.infer<typeof names>, own: string): boolean => wanted?.includes(own) ?? true;
  const paths = Object.entries(packages)
    .filter(([path]) => /(?:^|\/)(?:@node-llama-cpp\/[^/]+|node-llama-cpp)$/u.test(path))
    .filter(([, { os, cpu }]) => isHere(os, process.platform) && isHere(cpu, process.arch))
    .map(([path]) => path)
    .filter((path) => existsSync(path));
  const sizes = await Promise.all(paths.map(async (path) => ({ path, bytes: await sizeOf(path) })));
  return {
    figure: 'engine of an installation without a card',
    value: sizes.reduce((sum, { bytes }) => sum + bytes, 0) / 1e6,
    unit: 'MB',
    target: { atMost: 120 },
    note: sizes
      .filter(({ bytes }) => bytes > 1e6)
      .map(({ path, bytes }) => `${path.replace('node_modules/', '')} ${(bytes / 1e6).toFixed(0)}`)
      .join(', '),
  };
}

/** Sums its files. Packages inside it are counted by themselves. */
async function sizeOf(folder: string): Promise<number> {
  const sizes = await Promise.all(
    (await readdir(folder, { withFileTypes: true })).map(async (entry) => {
      const path = join(folder, entry.name);
      if (entry.isDirectory()) return entry.name === 'node_modules' ? 0 : sizeOf(path);
      return (await stat(path)).size;
    }),
  );
  return sizes.reduce((sum, bytes) => sum + bytes, 0);
}
