import { execFile } from 'node:child_process';
import { copyFile, readdir, rm, symlink } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { bringEngineSource } from '../engine-source.ts';

const execute = promisify(execFile);

/**
 * Makes a llama-server with simulated cards in main memory, of so many bytes each, in `folder`, and returns its path.
 * The server looks for card libraries in its own folder. `roomPercent`: how much of its stated memory a card really
 * has. Needs git and a C++ compiler on Linux.
 */
export async function makeSimulatedServer(
  folder: string,
  {
    program,
    cards,
    roomPercent = 100,
  }: { readonly program: string; readonly cards: readonly number[]; readonly roomPercent?: number },
): Promise<string> {
  const made = join(folder, basename(program));
  await copyFile(program, made);
  const beside = dirname(program);
  const libraries = (await readdir(beside)).filter((name) => name.endsWith('.so'));
  for (const name of libraries) await symlink(join(beside, name), join(folder, name));
  const source = await bringEngineSource(folder, [
    'ggml/include',
    'ggml/src/ggml-backend-impl.h',
    'ggml/src/ggml-impl.h',
  ]);
  const flags = '-std=c++17 -O1 -shared -fPIC -DGGML_BACKEND_DL -DGGML_BACKEND_SHARED -DGGML_BACKEND_BUILD'.split(' ');
  await execute('c++', [
    ...flags,
    `-DCARD_BYTES=${cards.map((bytes) => `${bytes}ull`).join(',')}`,
    `-DCARD_ROOM=${roomPercent}`,
    ...['ggml/include', 'ggml/src'].map((path) => `-I${join(source, path)}`),
    resolve('bench/lib/card/simulated-card.cpp'),
    '-o',
    join(folder, 'libggml-cuda.so'),
  ]);
  await rm(source, { recursive: true, force: true });
  return made;
}
