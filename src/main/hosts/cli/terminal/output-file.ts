import { constants } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { AppError } from '@shared/errors.ts';
import { isDiskFull, makeFolder, writeFileAtomic, writeProblem } from '../../../lib/files/json-file.ts';
import { access, realpath, stat, writeFile } from '../../../lib/files/drive-calls.ts';
import { nullIfGone } from '../../../lib/files/host-folder.ts';

/**
 * Writes a file that the user named: completely or not at all, through links. Something that exists and is not a file
 * (a pipe, a terminal, `/dev/null`) is written to, never replaced. Rejects with `bad-input` or `disk-full`.
 */
export async function writeOutputFile(name: string, text: string): Promise<void> {
  const path = resolve(name);
  try {
    // If the path cannot be checked, the write reports the problem.
    const found = await stat(path).catch(nullIfGone);
    await makeFolder(dirname(path), 0o777);
    if (found === null) await writeFileAtomic(path, text);
    else if (found.isFile()) await writeFileAtomic(await realpath(path), text, { mode: found.mode & 0o777 });
    else await writeFile(path, text);
  } catch (error) {
    throw cannotWrite(name, error);
  }
}

/** Checks a file before long work whose result goes into it. Creates its folder. Rejects like `writeOutputFile`. */
export async function checkOutputFile(name: string): Promise<void> {
  const path = resolve(name);
  try {
    const found = await stat(path).catch(nullIfGone);
    if (found?.isDirectory() === true) throw new Error('it is a folder');
    if (found !== null) return await access(path, constants.W_OK);
    await makeFolder(dirname(path), 0o777);
    await access(dirname(path), constants.W_OK);
  } catch (error) {
    throw cannotWrite(name, error);
  }
}

function cannotWrite(name: string, cause: unknown): AppError {
  if (cause instanceof AppError) return cause;
  if (isDiskFull(cause))
    return new AppError('disk-full', `${name} was not written: the disk is full.`, {
      cause,
      hint: 'The file alone is missing. Free some space, or name a file on another disk.',
    });
  return new AppError('bad-input', `${name} cannot be written: ${writeProblem(cause)}.`, { cause });
}
