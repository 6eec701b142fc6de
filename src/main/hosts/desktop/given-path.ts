import { readFile, stat } from 'node:fs/promises';
import { basename } from 'node:path';
import { maxFileBytes } from '@shared/attachments/attachment-text.ts';
import type { HostPush } from '@shared/contract/host-contract.ts';
import { seenName } from '@shared/text/seen-text.ts';
import { texts } from './desktop-texts.ts';

const problem = (key: 'open.missing' | 'open.tooLarge' | 'open.noFile', path: string): HostPush => ({
  type: 'problem',
  text: texts[key].replace('{name}', seenName(basename(path))),
});

/**
 * What a person opened with the app: a folder becomes the project of a new task, a file goes to its attachments. Either
 * way the page shows it first, and nothing is sent.
 */
export async function pushOfPath(path: string): Promise<HostPush> {
  try {
    const found = await stat(path);
    if (found.isDirectory()) return { type: 'new', project: path };
    // Anything else may never end, or do something by being read.
    if (!found.isFile()) return problem('open.noFile', path);
    if (found.size > maxFileBytes) return problem('open.tooLarge', path);
    const data = (await readFile(path)).toString('base64');
    return { type: 'new', files: [{ name: basename(path), data }] };
  } catch {
    return problem('open.missing', path);
  }
}
