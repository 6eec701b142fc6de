import type { KeptItem } from '@shared/preparation.ts';
import type { Command } from './context.ts';
import { bytes, jsonLine, printable } from './terminal.ts';

export interface CleanArguments {
  readonly dryRun?: boolean;
  readonly packages?: boolean;
  readonly json?: boolean;
}

/** Lists what is kept in the container engine and removes what is not needed; with `--packages` also what is. */
export const clean: Command<[CleanArguments]> = async ({ core, terminal, signal }, { dryRun, packages, json }) => {
  const remove = dryRun === true ? 'nothing' : packages === true ? 'all' : 'unneeded';
  const items = await (await core()).clean({ remove }, { signal });
  if (json === true) {
    terminal.out(jsonLine(items));
    return 0;
  }
  for (const item of items)
    terminal.out(`${fate(item).padEnd(9)} ${size(item).padStart(10)}  ${printable(item.name)}${why(item)}\n`);
  const gone = items.filter(({ isRemoved }) => isRemoved);
  const total = gone.reduce((sum, { sizeBytes }) => sum + (sizeBytes ?? 0), 0);
  terminal.err(gone.length === 0 ? 'Nothing was removed.\n' : `Removed: ${gone.length}, at least ${bytes(total)}.\n`);
  return 0;
};

function fate({ isRemoved, unneeded }: KeptItem): string {
  if (isRemoved) return 'removed';
  return unneeded === null ? 'kept' : 'unneeded';
}

function size({ sizeBytes }: KeptItem): string {
  return sizeBytes === null ? 'unknown' : bytes(sizeBytes);
}

function why({ unneeded }: KeptItem): string {
  return unneeded === null ? '' : `: ${unneeded}`;
}
