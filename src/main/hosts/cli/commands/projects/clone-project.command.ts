import { resolve } from 'node:path';
import type { CloneProgress, CloneStep, MadeClone } from '@shared/git/clone-progress.ts';
import { seenName, seenWords } from '@shared/text/seen-text.ts';
import { sizeText } from '@shared/text/size-text.ts';
import { cloneAddress } from '../../../../git/clone/clone-address.ts';
import { asWord } from '../../program/run-flags.ts';
import type { Command, CommandContext } from '../../../text/command-context.ts';
import { usageError, withoutResult } from '../../../text/report-failure.ts';
import { jsonLine } from '../../../text/terminal.ts';
import { projectList } from './project-list.command.ts';

export interface CloneArguments {
  readonly branch?: string;
  readonly depth?: number;
  readonly json?: boolean;
}

/** Brings a repository into a new folder, and adds that to the list of projects. */
export const cloneProject: Command<[string, string | undefined, CloneArguments]> = async (context, url, dir, args) => {
  const { terminal, signal } = context;
  const { name, host } = cloneAddress(url);
  const wanted = dir ?? name;
  if (wanted === null) throw usageError('The address names no folder.', 'Name one: dewpoint projects clone URL DIR');
  const folder = resolve(wanted);
  const input = { url, folder, branch: args.branch ?? null, depth: args.depth ?? null };
  terminal.err(`Cloning from ${seenName(host)} into ${seenName(folder)}. Ctrl-C stops it, and then nothing stays.\n`);
  const clone = await follow(await (await context.core()).git.clone(input, { signal }), context);
  for (const note of clone.notes) terminal.err(`${terminal.colors.yellow(seenWords(note))}\n`);
  const files = clone.files === 1 ? '1 file' : `${clone.files.toLocaleString('en')} files`;
  terminal.err(
    `${files} on ${seenName(clone.branch)}. Begin: dewpoint run --project ${seenName(asWord(folder))} "TASK"\n`,
  );
  if (args.json !== true) return projectList(context, 'add', folder, {});
  terminal.out(jsonLine(clone));
  return projectList({ ...context, terminal: { ...terminal, out: () => undefined } }, 'add', folder, {});
};

/** One line for each step, and for each tenth of what is written. */
async function follow(
  progress: AsyncIterable<CloneProgress>,
  { terminal, signal }: CommandContext,
): Promise<MadeClone> {
  let last = '';
  for await (const one of progress) {
    if (one.type === 'ended') return one.clone;
    const line = stepLine(one);
    if (line !== last) terminal.err(`${terminal.colors.dim(line)}\n`);
    last = line;
  }
  throw withoutResult('The clone', 'Nothing of it stays.', signal);
}

const tenth = 10;
const shownBytes = 10_000_000;

/** How far a clone or a pull is. */
export function stepLine({ step, done, total }: CloneStep): string {
  const part = total === null || total === 0 ? '' : ` ${Math.floor((done / total) * tenth) * tenth}%`;
  switch (step) {
    case 'receive':
      return done < shownBytes ? 'Receiving' : `Receiving ${sizeText(Math.floor(done / shownBytes) * shownBytes)}`;
    case 'unpack':
      return `Unpacking${part}`;
    case 'write':
      return `Writing files${part}`;
    default:
      return step satisfies never;
  }
}
