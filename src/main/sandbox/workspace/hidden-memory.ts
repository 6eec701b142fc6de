import { lstat } from 'node:fs/promises';
import { join, relative, sep } from 'node:path';
import { z } from 'zod';
import { AppError } from '@shared/errors.ts';
import { neverAborts } from '../../lib/async/abort.ts';
import type { WayBack } from '../../lib/async/all-or-none.ts';
import { isWithin } from '../../lib/files/is-within.ts';
import { withFileLock } from '../../lib/files/file-lock.ts';
import { isMissing, readJsonFile, writeFileAtomic } from '../../lib/files/json-file.ts';

/** A file or folder that was hidden once, in any project. */
const rememberedSchema = z.object({
  /** Where it was last seen: a whole path, with names in the form of `folder-names.ts`. */
  place: z.string(),
  /** The project in which it was found to be one to hide, as a whole path. */
  project: z.string(),
  /** The path in that project by which it was found. Its place differs if it was moved since. */
  judgedAs: z.string(),
  why: z.enum(['rule', 'secret', 'other']),
  kind: z.enum(['file', 'folder']),
  /** See `identityOf`. */
  identity: z.string(),
  /** The identity of its folder. It finds a file that was written anew after its folder was renamed. */
  folder: z.string(),
  /** See `printOf`. A copy is known by it. Null: copies are not looked for. */
  print: z.string().nullable(),
  /** It was nowhere in the project when it was last looked for. */
  isAway: z.boolean(),
});
const memorySchema = z.object({ hidden: z.array(rememberedSchema) });

export type HiddenPath = z.infer<typeof rememberedSchema>;

/** A project that loses more hidden files than this stops, so that none is forgotten. */
const mostRemembered = 10_000;

/**
 * What was hidden by any session so far, in all projects of a home: the same files may be opened as another project
 * later, through a folder around them, inside them, or with a new name. No command can write to the home. Rules depend on
 * names, so what they hid must stay hidden after somebody renames it. Throws `refused` if it cannot be read.
 */
export async function recallHidden(homePath: string): Promise<readonly HiddenPath[]> {
  const file = fileIn(homePath);
  const read = await readJsonFile(file, (value) => memorySchema.parse(value));
  if (read.type === 'value') return read.value.hidden;
  if (read.type === 'missing') return [];
  throw new AppError(
    'refused',
    `The list of what is hidden in your projects cannot be read, so nothing runs: ${file}`,
    {
      hint: 'Delete this file to begin a new list. Files that were hidden and then renamed can be seen after that.',
    },
  );
}

/**
 * Takes `gone` out of the list and adds `fresh`. All else stays, also what another session has noted meanwhile. Throws
 * `refused` if a project has too much.
 */
export async function rememberHidden(
  { homePath, workspacePath }: { readonly homePath: string; readonly workspacePath: string },
  { gone, fresh }: { readonly gone: readonly HiddenPath[]; readonly fresh: readonly HiddenPath[] },
  signal: AbortSignal,
): Promise<void> {
  const same = new Set(gone.map((one) => JSON.stringify(one)));
  if (fresh.length === same.size && fresh.every((one) => same.has(JSON.stringify(one)))) return;
  const file = fileIn(homePath);
  await withFileLock(`${file}.lock`, { signal, onWait: () => undefined }, async () => {
    const leaving = new Set([...gone, ...fresh].map(keyOf));
    const others = (await recallHidden(homePath)).filter((one) => !leaving.has(keyOf(one)));
    const hidden = [...fresh, ...(await withoutDeletedCopies(others, homePath))];
    if (hidden.filter(({ place }) => isWithin(place, workspacePath)).length > mostRemembered) {
      throw new AppError(
        'refused',
        `More than ${mostRemembered.toLocaleString('en')} files were hidden in this project and then removed, so nothing runs in it.`,
        { hint: `Delete this file if none of them can come back: ${file}` },
      );
    }
    await writeFileAtomic(file, JSON.stringify({ hidden }));
  });
}

/**
 * The folder of a project lies elsewhere now. What a rule of it hid was hidden by its own rule there, too, so it can be
 * shown again. Safe to repeat.
 */
export async function moveHidden(homePath: string, from: string, to: string): Promise<WayBack> {
  const file = fileIn(homePath);
  const [old, next] = [from.split(sep).join('/'), to.split(sep).join('/')];
  const moved = (path: string): string =>
    path === old || path.startsWith(`${old}/`) ? next + path.slice(old.length) : path;
  type Change = (one: HiddenPath, isKnown: (text: string) => boolean) => HiddenPath;
  const change = (to: Change): Promise<void> =>
    withFileLock(`${file}.lock`, { signal: neverAborts, onWait: () => undefined }, async () => {
      const before = await recallHidden(homePath);
      const known = new Set(before.map((one) => JSON.stringify(one)));
      const hidden = before.map((one) => to(one, (text) => known.has(text)));
      if (hidden.some((one, at) => one !== before[at])) await writeFileAtomic(file, JSON.stringify({ hidden }));
    });
  const earlier = new Map<string, HiddenPath>();
  await change((one, isKnown) => {
    const next = { ...one, place: moved(one.place), project: moved(one.project) };
    const text = JSON.stringify(next);
    // What is known at the new place was hidden there.
    if (isKnown(text)) return one;
    earlier.set(text, one);
    return next;
  });
  return () => change((one) => earlier.get(JSON.stringify(one)) ?? one);
}

function fileIn(homePath: string): string {
  return join(homePath, 'sandbox', 'hidden-files.json');
}

function keyOf({ place, identity }: HiddenPath): string {
  return `${identity} ${place}`;
}

/** Copies of projects that were deleted since took along what they held. */
async function withoutDeletedCopies(all: readonly HiddenPath[], homePath: string): Promise<readonly HiddenPath[]> {
  const copies = join(homePath, 'workspaces');
  const deleted = new Map<string, boolean>();
  const kept: HiddenPath[] = [];
  for (const one of all) {
    const [name = ''] = isWithin(one.place, copies) ? relative(copies, one.place).split('/') : [];
    if (name !== '' && !deleted.has(name)) deleted.set(name, await isDeleted(join(copies, name)));
    if (deleted.get(name) !== true) kept.push(one);
  }
  return kept;
}

function isDeleted(path: string): Promise<boolean> {
  return lstat(path).then(() => false, isMissing);
}
