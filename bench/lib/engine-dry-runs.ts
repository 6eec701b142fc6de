import { execFile, spawn } from 'node:child_process';
import { mkdtemp, readFile, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import { z } from 'zod';
import type { CacheType } from '@shared/models/memory-estimate.ts';
import { bringEngineSource } from './engine-source.ts';

const execute = promisify(execFile);

export interface DryContext {
  readonly cacheType: CacheType;
  readonly tokens: number;
  readonly ubatchTokens: number;
  /** For how many tokens of a batch logits are reserved. */
  readonly outputs: number;
}

/** The library of llama.cpp that Dewpoint ships, asked without loading weights. One question at a time. */
export interface EngineDryRuns {
  /** Takes a header for the next questions. Returns null, or the engine's error. */
  readonly load: (path: string) => Promise<string | null>;
  /** Bytes of cells, states and compute buffer; null for a context that the engine refuses. */
  readonly bytes: (context: DryContext) => Promise<number | null>;
  readonly dispose: () => Promise<void>;
}

/**
 * Compiles `dry-run.cpp` against the llama.cpp headers of node-llama-cpp and links it with that very library:
 * node-llama-cpp itself reserves logits for every token of a batch, and llama-server's way has to be measured, too.
 * Needs git and a C++ compiler on Linux; throws where one is missing.
 */
export async function startEngineDryRuns(): Promise<EngineDryRuns> {
  const folder = await mkdtemp(join(tmpdir(), 'dewpoint-dry-runs-'));
  const remove = (): Promise<void> => rm(folder, { recursive: true, force: true });
  try {
    const libraries = resolve(`node_modules/@node-llama-cpp/linux-${process.arch}/bins/linux-${process.arch}`);
    const program = await compile(folder, libraries);
    const child = spawn(program, [libraries], { stdio: ['pipe', 'pipe', 'ignore'] });
    const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
    const ask = async (question: string): Promise<string> => {
      child.stdin.write(`${question}\n`);
      const { value, done } = await lines.next();
      if (done === true) throw new Error(`the engine ended at: ${question}`);
      return value;
    };
    return {
      load: async (path) => {
        const said = await ask(`load ${path}`);
        return said === 'ok' ? null : said;
      },
      bytes: async ({ cacheType, tokens, ubatchTokens, outputs }) => {
        const said = await ask(`context ${cacheType} ${tokens} ${ubatchTokens} ${outputs}`);
        return said === 'refused' ? null : Number(said);
      },
      dispose: async () => {
        child.stdin.end();
        await remove();
      },
    };
  } catch (error) {
    await remove();
    throw error;
  }
}

async function compile(folder: string, libraries: string): Promise<string> {
  const package_ = resolve('node_modules/node-llama-cpp/llama');
  const { tag } = z
    .object({ tag: z.string() })
    .parse(JSON.parse(await readFile(join(package_, 'llama.cpp.info.json'), 'utf8')));
  const source = await bringEngineSource(folder, ['include', 'ggml/include', 'src/llama-ext.h']);
  // The linker looks for these libraries by names without a version.
  const names = [`libllama.${tag}.so`, `libggml.${tag}.so`, 'libggml-base.so'];
  for (const name of names) await symlink(join(libraries, name), join(folder, name));
  const program = join(folder, 'dry-run');
  await execute('c++', [
    '-std=c++17',
    '-O1',
    ...['include', 'ggml/include', 'src'].map((path) => `-I${join(source, path)}`),
    resolve('bench/lib/dry-run.cpp'),
    ...names.map((name) => join(folder, name)),
    `-Wl,-rpath,${libraries}`,
    '-o',
    program,
  ]);
  await rm(source, { recursive: true, force: true });
  return program;
}
