import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';

/** The hash of the files' content, one after the other. Rejects with an AbortError when the signal aborts. */
export async function sha256OfFiles(
  paths: readonly string[],
  { signal, onProgress }: { readonly signal: AbortSignal; readonly onProgress: (doneBytes: number) => void },
): Promise<string> {
  const hash = createHash('sha256');
  let done = 0;
  for (const path of paths) {
    for await (const chunk of createReadStream(path, { highWaterMark: 1 << 20, signal })) {
      hash.update(chunk);
      done += chunk.length;
      onProgress(done);
    }
  }
  return hash.digest('hex');
}
