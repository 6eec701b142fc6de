import { stat } from 'node:fs/promises';
import { silentFolder, workOnDrive } from '../../../lib/files/served-drives.ts';
import { usageError } from '../../text/report-failure.ts';

/** Throws a usage error if there is no folder at the path, so that a project command works on nothing else. */
export async function requireFolder(path: string): Promise<void> {
  switch (await whatIsAt(path)) {
    case 'folder':
      return;
    case 'silent':
      throw silentFolder(path);
    case 'nothing':
      throw usageError(`The folder ${path} was not found.`);
    case 'file':
      throw usageError(`${path} is a file, and a project is a folder.`);
  }
}

/** What is at a path. A folder that cannot be looked at counts as nothing. Never rejects. */
export async function whatIsAt(path: string): Promise<'folder' | 'file' | 'nothing' | 'silent'> {
  const looked = await workOnDrive(path, () => stat(path).catch(() => null));
  if (looked === null) return 'silent';
  if (looked.value === null) return 'nothing';
  return looked.value.isDirectory() ? 'folder' : 'file';
}
