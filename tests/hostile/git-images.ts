import { execFile } from 'node:child_process';
import { resolve } from 'node:path';
import { promisify } from 'node:util';
import { z } from 'zod';
import { sampled } from '../fakes/sampled.ts';

/** Images with Git 2.30 to the newest, made from other Debian releases. Only for the whole proof. */
export async function gitImages(): Promise<readonly string[]> {
  if (sampled(1, 0) === 0) return [];
  const { stdout, stderr } = await promisify(execFile)(process.execPath, [resolve('scripts/setup/git-images.mjs')], {
    timeout: 1_200_000,
  });
  // If none is available, the script says why.
  process.stderr.write(stderr);
  return z.array(z.string()).parse(JSON.parse(stdout.trim().split('\n').at(-1) ?? '[]'));
}
