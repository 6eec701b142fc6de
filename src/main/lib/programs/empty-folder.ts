import { lstatSync, mkdirSync, readdirSync } from 'node:fs';

/** More than this many with something in them is no accident. */
const maxTries = 50;

/**
 * An empty folder that is this user's alone, in which programs stand: nothing that they look for beside them is there.
 * Where something got into it, the next one is taken (`-2`, `-3`); nothing is deleted. Throws where none can be had.
 */
export function emptyFolder(path: string): string {
  for (let number = 1; number <= maxTries; number += 1) {
    const folder = number === 1 ? path : `${path}-${number}`;
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    if (isOursAndEmpty(folder)) return folder;
  }
  throw new Error(`There is no empty folder for programs to stand in: remove what lies in ${path}.`);
}

function isOursAndEmpty(folder: string): boolean {
  try {
    const { uid, mode } = lstatSync(folder);
    const user = process.getuid?.();
    // Windows has no such marks: there the folder above says who may write.
    if (user !== undefined && (uid !== user || (mode & 0o022) !== 0)) return false;
    return readdirSync(folder).length === 0;
  } catch {
    return false;
  }
}
