import { execFile } from 'node:child_process';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';

const execute = promisify(execFile);

/**
 * Checks out parts of the llama.cpp that node-llama-cpp ships into a new folder below `folder`, and returns its path.
 * Needs git.
 */
export async function bringEngineSource(folder: string, parts: readonly string[]): Promise<string> {
  const source = join(folder, 'source');
  const bundle = resolve('node_modules/node-llama-cpp/llama/gitRelease.bundle');
  await execute('git', ['clone', '--quiet', '--no-checkout', bundle, source]);
  await execute('git', ['-C', source, 'checkout', '--quiet', 'HEAD', '--', ...parts]);
  return source;
}
