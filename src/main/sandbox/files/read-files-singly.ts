import { success, type Reply } from '@shared/errors.ts';
import type { FileContent, ReadOptions, Sandbox } from '../sandbox.ts';

/** After these errors, the next file would fail, too. */
const fatalCodes: readonly string[] = ['cancelled', 'timeout', 'sandbox-lost', 'conflict', 'missing-sandbox'];

/** `readFiles` one by one, for sandboxes in which that is cheap or the only way. */
export async function readFilesSingly(
  readFile: Sandbox['readFile'],
  paths: readonly string[],
  { options, signal }: { readonly options: ReadOptions; readonly signal: AbortSignal },
): Promise<Reply<ReadonlyMap<string, FileContent>>> {
  const found = new Map<string, FileContent>();
  for (const path of paths) {
    const read = await readFile(path, options, signal);
    if (read.ok) found.set(path, read.value);
    else if (fatalCodes.includes(read.error.code)) return read;
  }
  return success(found);
}
