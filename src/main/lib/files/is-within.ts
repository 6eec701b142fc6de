import { posix, win32 } from 'node:path';

/**
 * Whether a path is a folder or below it, judged by names only; resolve links first if they matter. Both must be
 * absolute.
 */
export function isWithin(path: string, folder: string, platform: NodeJS.Platform = process.platform): boolean {
  const paths = platform === 'win32' ? win32 : posix;
  const way = paths.relative(folder, path);
  return way === '' || (way !== '..' && !way.startsWith(`..${paths.sep}`) && !paths.isAbsolute(way));
}

/** Whether a path means the same from any current folder. */
export function isWholePath(path: string, platform: NodeJS.Platform): boolean {
  // On Windows, `\folder` depends on the current drive.
  return platform === 'win32' ? /^(?:[a-z]:[\\/]|\\\\)/iu.test(path) : path.startsWith('/');
}
