import { posix, win32 } from 'node:path';

/** Whether a path is a folder or lies below it, by the names alone: who has to mind links follows them first. Both are whole paths. */
export function isWithin(path: string, folder: string, platform: NodeJS.Platform = process.platform): boolean {
  const paths = platform === 'win32' ? win32 : posix;
  const way = paths.relative(folder, path);
  return way === '' || (way !== '..' && !way.startsWith(`..${paths.sep}`) && !paths.isAbsolute(way));
}
