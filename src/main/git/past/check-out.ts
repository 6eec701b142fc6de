import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { utf8Text } from '../../lib/utf8-text.ts';
import { lookAtTree } from '../clone/look-at-tree.ts';
import { writeFiles } from '../clone/write-checkout.ts';
import { loadGit } from '../load-git.ts';
import { blobAt } from '../read-commits.ts';
import type { Repository } from '../repository.ts';

const mostBytes = 500_000_000;

/**
 * Writes the files of a commit into an empty folder that nobody else uses, without history. Only those of the folder that
 * was asked for. The repository is only read.
 */
export async function checkOut(
  repository: Repository,
  { commit, folder }: { readonly commit: string; readonly folder: string },
): Promise<{ readonly files: number; readonly notes: readonly string[] }> {
  const git = await loadGit();
  const { prefix, places } = repository;
  const { commit: read } = await git.readCommit({ ...repository.git, oid: commit });
  const tree =
    prefix === '' ? read.tree : (await git.readTree({ ...repository.git, oid: read.tree, filepath: prefix })).oid;
  const files = await lookAtTree(repository, tree, { isCaseBlind: await isCaseBlind(folder) });
  const target = { ...repository, places: { ...places, tree: folder } };
  const { notes } = await writeFiles(target, files, { hasLinks: true, onWritten: () => undefined, mostBytes });
  return { files: files.length, notes };
}

async function isCaseBlind(folder: string): Promise<boolean> {
  const tried = join(folder, 'Case');
  await writeFile(tried, '', { flag: 'wx' });
  try {
    return await readFile(join(folder, 'cASE')).then(
      () => true,
      () => false,
    );
  } finally {
    await rm(tried, { force: true });
  }
}

/** The texts of files in a commit. Null: there is no such file, or it is no text. */
export async function textsAt(
  repository: Repository,
  { commit, paths }: { readonly commit: string; readonly paths: readonly string[] },
): Promise<readonly { readonly path: string; readonly text: string | null; readonly isThere: boolean }[]> {
  const { prefix } = repository;
  const found = [];
  for (const path of paths) {
    const whole = prefix === '' ? path : `${prefix}/${path}`;
    const bytes = await blobAt(repository, commit, whole).catch(() => null);
    found.push({ path, isThere: bytes !== null, text: bytes === null ? null : utf8Text(bytes) });
  }
  return found;
}
