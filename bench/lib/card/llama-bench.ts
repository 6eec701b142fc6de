import { execFile } from 'node:child_process';
import { readdir, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { z } from 'zod';
import { bringEngineSource } from '../engine-source.ts';

const execute = promisify(execFile);

/** Tokens per second as `llama-bench` of llama.cpp counts them, for one prompt and one answer. */
export interface BareSpeed {
  readonly readPerSecond: number;
  readonly writtenPerSecond: number;
}

/**
 * Compiles `llama-bench` from the llama.cpp of node-llama-cpp and links it with the libraries in `libraries` (an
 * absolute path), so that both measure the same build. Returns its path, in `folder`. Needs git and a C++ compiler on
 * Linux; throws where one is missing.
 */
export async function buildLlamaBench(folder: string, libraries: string): Promise<string> {
  const parts = ['include', 'ggml/include', 'common', 'vendor', 'tools/llama-bench'];
  const source = await bringEngineSource(folder, parts);
  const files = (await readdir(libraries)).filter((name) => name.endsWith('.so'));
  // The program looks for the libraries for cards in its own folder.
  for (const name of files) await symlink(join(libraries, name), join(folder, name));
  const linked = files.filter((name) => /^lib(?:llama|ggml)(?:-common|-base|\..*v[\d.]+)\.so$/u.test(name));
  const program = join(folder, 'llama-bench');
  await execute('c++', [
    '-std=c++17',
    '-O2',
    ...parts.map((path) => `-I${join(source, path)}`),
    ...['llama-bench.cpp', 'main.cpp'].map((name) => join(source, 'tools/llama-bench', name)),
    ...linked.map((name) => join(folder, name)),
    '-Wl,--allow-shlib-undefined',
    '-Wl,-rpath,$ORIGIN',
    '-pthread',
    '-o',
    program,
  ]);
  return program;
}

const rows = z.array(z.object({ n_prompt: z.number(), n_gen: z.number(), avg_ts: z.number(), backends: z.string() }));

/**
 * Runs with all layers on the card and the token counts of the step `as planned`. Throws with the program's own
 * message.
 */
export async function askLlamaBench(
  program: string,
  path: string,
  { promptTokens, outputTokens }: { readonly promptTokens: number; readonly outputTokens: number },
): Promise<BareSpeed> {
  const sizes = ['-p', String(promptTokens), '-n', String(outputTokens)];
  const { stdout } = await execute(program, ['-m', path, ...sizes, '-r', '2', '-ngl', '999', '-o', 'json'], {
    timeout: 180_000,
    maxBuffer: 16 * 1024 * 1024,
  });
  const found = rows.parse(JSON.parse(stdout.slice(stdout.indexOf('['))));
  const of = (isRead: boolean): number => found.find(({ n_gen }) => (n_gen === 0) === isRead)?.avg_ts ?? 0;
  if (found.every(({ backends }) => backends === 'CPU')) throw new Error('it used the processor');
  return { readPerSecond: of(true), writtenPerSecond: of(false) };
}
