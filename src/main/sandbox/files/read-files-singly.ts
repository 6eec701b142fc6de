import { success, type Reply } from '@shared/errors.ts';
import type { FileContent, ReadOptions, SandboxFiles } from '../sandbox.ts';

/** After these errors, the next file would fail, too. */
const fatalCodes: readonly string[] = ['cancelled', 'timeout', 'sandbox-lost', 'conflict', 'missing-sandbox'];

/** `readMany` one by one, for sandboxes in which that is cheap or the only way. */
export async function readFilesSingly(
  read: SandboxFiles['read'],
  paths: readonly string[],
  { options, signal }: { readonly options: ReadOptions; readonly signal: AbortSignal },
): Promise<Reply<ReadonlyMap<string, FileContent>>> {
  const found = new Map<string, FileContent>();
  for (const path of paths) {
    const content = await read(path, options, signal);
    if (content.ok) found.set(path, content.value);
    else if (fatalCodes.includes(content.error.code)) return content;
  }
  return success(found);
}
