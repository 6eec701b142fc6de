import { stat } from 'node:fs/promises';
import { usageError } from '../report-failure.ts';

/** What was meant for a project must not be answered for one that is not there. */
export async function requireFolder(path: string): Promise<void> {
  const found = await stat(path).catch(() => null);
  if (found === null) throw usageError(`The folder ${path} was not found.`);
  if (!found.isDirectory()) throw usageError(`${path} is a file, and a project is a folder.`);
}
