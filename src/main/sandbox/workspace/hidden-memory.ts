import { join } from 'node:path';
import { z } from 'zod';
import { AppError } from '@shared/errors.ts';
import { withFileLock } from '../../lib/files/file-lock.ts';
import { projectKey } from '../../lib/files/project-key.ts';
import { readJsonFile, writeFileAtomic } from '../../lib/files/json-file.ts';
import { sha256Of } from '../../lib/sha256.ts';

/** A file or folder that was hidden once. */
const rememberedSchema = z.object({
  /** Where it was last seen, relative to the project. */
  path: z.string(),
  /** The path by which it was found to be one to hide. It differs if it was moved since. */
  judgedAs: z.string(),
  why: z.enum(['rule', 'secret', 'other']),
  kind: z.enum(['file', 'folder']),
  /** See `identityOf`. */
  identity: z.string(),
  /** The identity of its folder. It finds a file that was written anew after its folder was renamed. */
  folder: z.string(),
  /** It was nowhere in the project when it was last looked for. */
  isAway: z.boolean(),
});
const memorySchema = z.object({ workspacePath: z.string(), hidden: z.array(rememberedSchema) });

export type Remembered = z.infer<typeof rememberedSchema>;

/** A project that loses more hidden files than this stops, so that none is forgotten. */
const mostRemembered = 10_000;

async function fileOf(homePath: string, workspacePath: string): Promise<string> {
  return join(homePath, 'sandbox', 'hidden', `${sha256Of(await projectKey(workspacePath)).slice(0, 24)}.json`);
}

/**
 * What was hidden in a project by any session so far. It is kept in the home, where no command can write. Rules depend
 * on names, so what they hid must stay hidden after somebody renames it. Throws `refused` if it cannot be read.
 */
export async function recallHidden(homePath: string, workspacePath: string): Promise<readonly Remembered[]> {
  const file = await fileOf(homePath, workspacePath);
  const read = await readJsonFile(file, (value) => memorySchema.parse(value));
  if (read.type === 'value') return read.value.hidden;
  if (read.type === 'missing') return [];
  throw new AppError('refused', `The list of what is hidden in this project cannot be read, so nothing runs: ${file}`, {
    hint: 'Delete this file to begin a new list. Files that were hidden and then renamed can be seen after that.',
  });
}

/**
 * Replaces what was known `before` by what is known `after`. What another session noted meanwhile stays. Throws
 * `refused` if it is too much.
 */
export async function rememberHidden(
  { homePath, workspacePath }: { readonly homePath: string; readonly workspacePath: string },
  { before, after }: { readonly before: readonly Remembered[]; readonly after: readonly Remembered[] },
  signal: AbortSignal,
): Promise<void> {
  if (JSON.stringify(before) === JSON.stringify(after)) return;
  const file = await fileOf(homePath, workspacePath);
  await withFileLock(`${file}.lock`, { signal, onWait: () => undefined }, async () => {
    const known = new Set([...before, ...after].map(({ identity }) => identity));
    const others = (await recallHidden(homePath, workspacePath)).filter(({ identity }) => !known.has(identity));
    const hidden = [...after, ...others];
    if (hidden.length > mostRemembered) {
      throw new AppError(
        'refused',
        `More than ${mostRemembered.toLocaleString('en')} files were hidden in this project and then removed, so nothing runs in it.`,
        { hint: `Delete this file if none of them can come back: ${file}` },
      );
    }
    await writeFileAtomic(file, JSON.stringify({ workspacePath, hidden }));
  });
}
