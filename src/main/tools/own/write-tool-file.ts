import { lstat, open, rename, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { AppError } from '@shared/errors.ts';
import type { HostFolder } from '../../lib/files/host-folder.ts';
import { openChildFolder, openFolderBelow, openHostFolder } from '../../lib/files/host-folder.ts';
import { errorCodeOf, makeFolder, writeProblem } from '../../lib/files/json-file.ts';
import type { FolderPlace } from './tool-folder.ts';
import { folderPath } from './tool-folder.ts';
import { orNoted } from '../../lib/log.ts';

export interface NewToolFile {
  readonly file: string;
  readonly text: string;
  /** False: replaces the existing file. */
  readonly isNew: boolean;
}

/** Writes a file into a folder of tools. Follows no link, and a new file never overwrites an existing one. */
export async function writeToolFile(place: FolderPlace, { file, text, isNew }: NewToolFile): Promise<void> {
  const isHome = place.names.length === 1;
  const path = join(folderPath(place), file);
  let folder: HostFolder | null = null;
  try {
    if (isHome) await makeFolder(place.root);
    folder = await openHostFolder(place.root);
    for (const name of place.names) {
      // In a project it gets the usual rights of a folder.
      await makeFolder(folder.at(name), isHome ? 0o700 : 0o777);
      const next: HostFolder = await openChildFolder(folder, name);
      await folder.close();
      folder = next;
    }
    const written = isNew ? file : `.${file}.new`;
    if (!isNew) await unlink(folder.at(written)).catch(orNoted('A half-written tool stays', undefined));
    const mode = isNew ? (isHome ? 0o600 : 0o666) : (await lstat(folder.at(file))).mode & 0o777;
    const handle = await open(folder.at(written), 'wx', mode);
    await handle.writeFile(text).finally(() => handle.close());
    if (!isNew) await rename(folder.at(written), folder.at(file));
  } catch (error) {
    const isLink = ['ELOOP', 'ENOTDIR'].includes(errorCodeOf(error) ?? '');
    const why = isLink ? 'its folder is a link or no folder' : writeProblem(error);
    throw new AppError('refused', `${path} was not written: ${why}.`);
  } finally {
    await folder?.close();
  }
}

/** Removes a file from a folder of tools. Does nothing if it is already gone. */
export async function removeToolFile(place: FolderPlace, file: string): Promise<void> {
  const folder = await openFolderBelow(place.root, place.names);
  try {
    if (folder !== null) await unlink(folder.at(file));
  } catch (error) {
    if (errorCodeOf(error) === 'ENOENT') return;
    throw new AppError('refused', `${join(folderPath(place), file)} was not removed: ${writeProblem(error)}.`);
  } finally {
    await folder?.close();
  }
}
