import { join } from 'node:path';
import { shownPath } from './folder-names.ts';
import { writeFileAtomic } from '../../../lib/files/json-file.ts';
import type { KeepTakenFile } from './make-harmless.ts';

/** Together, for one session: a command could fill the disk with it. */
const mostBytes = 16 * 1024 * 1024;

/** Keeps what is taken out of a workspace, numbered, in a folder of the home; above the limit nothing more. */
export function createTakenFileKeeper(folder: string): KeepTakenFile {
  let count = 0;
  let bytes = 0;
  return async (path, content) => {
    count += 1;
    bytes += content.length;
    if (bytes > mostBytes) return;
    const name = shownPath(path)
      .replaceAll(/[^A-Za-z0-9_.-]+/g, '_')
      .slice(-120);
    await writeFileAtomic(join(folder, `${String(count).padStart(4, '0')}-${name}`), content, { sync: false });
  };
}
