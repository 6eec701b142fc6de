import { stat } from 'node:fs/promises';
import { AppError } from '@shared/errors.ts';
import { silentDrive, silentFolderHint, silentFolderText } from '../../../lib/files/served-drives.ts';
import { usageError } from '../../text/report-failure.ts';

/** Throws a usage error if there is no folder at the path, so that a project command works on nothing else. */
export async function requireFolder(path: string): Promise<void> {
  if ((await silentDrive(path)) !== null)
    throw new AppError('timeout', silentFolderText(path), { hint: silentFolderHint });
  const found = await stat(path).catch(() => null);
  if (found === null) throw usageError(`The folder ${path} was not found.`);
  if (!found.isDirectory()) throw usageError(`${path} is a file, and a project is a folder.`);
}
