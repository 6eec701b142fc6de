import { basename } from 'node:path';
import { maxFileBytes } from '@shared/attachments/attachment-text.ts';
import type { HostPush } from '@shared/contract/host-contract.ts';
import { seenName } from '@shared/text/seen-text.ts';
import { texts } from './desktop-texts.ts';
import { readFile, stat } from '../../lib/files/drive-calls.ts';

const problem = (key: 'open.missing' | 'open.tooLarge' | 'open.noFile', path: string): HostPush => ({
  type: 'problem',
  text: texts[key].replace('{name}', seenName(basename(path))),
});

/**
 * Handles a path that the user opened with the app: a folder becomes the project of a new task, and a file an
 * attachment. The page only shows it; nothing is sent.
 */
export async function pushOfPath(path: string): Promise<HostPush> {
  try {
    const found = await stat(path);
    if (found.isDirectory()) return { type: 'new', project: path };
    // Other kinds of files may never end, or have side effects when they are read.
    if (!found.isFile()) return problem('open.noFile', path);
    if (found.size > maxFileBytes) return problem('open.tooLarge', path);
    const data = (await readFile(path)).toString('base64');
    return { type: 'new', files: [{ name: basename(path), data }] };
  } catch {
    return problem('open.missing', path);
  }
}
