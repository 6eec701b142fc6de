import type { KeptItem } from '@shared/projects/project-preparation.ts';
import { seenName, seenWords } from '@shared/text/seen-text.ts';
import type { Command, CommandContext } from '../../text/command-context.ts';
import { usageError } from '../../text/report-failure.ts';
import { jsonLine } from '../../text/terminal.ts';
import { sizeText } from '@shared/text/size-text.ts';

export interface CleanArguments {
  readonly dryRun?: boolean;
  readonly packages?: boolean;
  readonly images?: boolean;
  readonly model?: readonly string[];
  readonly json?: boolean;
}

/**
 * Lists everything that is stored, with its size, and removes what is not needed. Things that are expensive to download
 * again (needed packages, images, models) are removed only if they are named.
 */
export const clean: Command<[CleanArguments]> = async (context, { dryRun, packages, images, model, json }) => {
  const { core, terminal, signal } = context;
  const remove = dryRun === true ? 'nothing' : packages === true ? 'all' : 'unneeded';
  await checkModels(context, model ?? []);
  const kept = await (await core()).clean({ remove, images }, { signal });
  const items = [...kept, ...(await cleanModels(context, dryRun === true ? [] : (model ?? [])))];
  if (json === true) {
    terminal.out(jsonLine(items));
    return 0;
  }
  for (const item of items)
    terminal.out(`${fate(item).padEnd(9)} ${size(item).padStart(10)}  ${seenName(item.name)}${why(item)}\n`);
  const gone = items.filter(({ isRemoved }) => isRemoved);
  const total = gone.reduce((sum, { sizeBytes }) => sum + (sizeBytes ?? 0), 0);
  terminal.err(
    gone.length === 0 ? 'Nothing was removed.\n' : `Removed: ${gone.length}, at least ${sizeText(total)}.\n`,
  );
  return 0;
};

/** Throws for a wrong name before anything is removed. */
async function checkModels({ core }: CommandContext, names: readonly string[]): Promise<void> {
  if (names.length === 0) return;
  const known = (await (await core()).models.list()).map(({ id }) => id);
  const unknown = names.find((name) => !known.includes(name));
  if (unknown !== undefined)
    throw usageError(`The model ${unknown} was not found.`, 'Run `dewpoint models list` to see your models.');
}

/** The model files that Dewpoint downloaded. It does not remove the user's own files. */
async function cleanModels({ core }: CommandContext, unwanted: readonly string[]): Promise<readonly KeptItem[]> {
  const { models } = await core();
  const items: KeptItem[] = [];
  for (const { id, file } of await models.list()) {
    if (file === undefined || !file.isOurs || file.hereBytes === 0) continue;
    const isRemoved = unwanted.includes(id) && (await models.remove({ id })).done === 'deleted';
    items.push({ kind: 'model', name: `model ${id}`, sizeBytes: file.hereBytes, unneeded: null, isRemoved });
  }
  return items;
}

function fate({ isRemoved, unneeded }: KeptItem): string {
  if (isRemoved) return 'removed';
  return unneeded === null ? 'kept' : 'unneeded';
}

function size({ sizeBytes }: KeptItem): string {
  return sizeBytes === null ? 'unknown' : sizeText(sizeBytes);
}

/** The reason why something is not needed. Names the option if it is only removed on request. */
function why({ kind, unneeded, isRemoved }: KeptItem): string {
  const reason = unneeded === null ? '' : `: ${seenWords(unneeded)}`;
  return kind === 'image' && unneeded !== null && !isRemoved ? `${reason} (--images)` : reason;
}
