import type { MadePull, PullProgress } from '@shared/git/pull-progress.ts';
import { seenName, seenWords } from '@shared/text/seen-text.ts';
import type { Command, CommandContext } from '../../../text/command-context.ts';
import { withoutResult } from '../../../text/report-failure.ts';
import { jsonLine } from '../../../text/terminal.ts';
import { stepLine } from './clone-project.command.ts';
import { folderOfWord } from './named-project.ts';

export interface PullArguments {
  readonly remote?: string;
  readonly json?: boolean;
}

/** Brings the checked out branch of a project forward to the one that it follows. */
export const pullProject: Command<[string | undefined, PullArguments]> = async (context, dir, args) => {
  const { terminal, signal } = context;
  const input = { projectPath: await folderOfWord(context.core, dir ?? '.'), remote: args.remote ?? null };
  const pull = await follow(await (await context.core()).git.pull(input, { signal }), context);
  for (const note of pull.notes) terminal.err(`${terminal.colors.yellow(seenWords(note))}\n`);
  if (args.json === true) terminal.out(jsonLine(pull));
  else terminal.out(`${endLine(pull)}\n`);
  return 0;
};

function endLine({ branch, remote, theirs, from, to, files }: MadePull): string {
  if (from === to) return `${seenName(branch)} has all of ${seenName(remote)}/${seenName(theirs)}.`;
  const count = files === 1 ? '1 file' : `${files.toLocaleString('en')} files`;
  return `${seenName(branch)} is at ${to.slice(0, 12)}, from ${from.slice(0, 12)}: ${count} changed.`;
}

/** One line for each step. */
async function follow(progress: AsyncIterable<PullProgress>, { terminal, signal }: CommandContext): Promise<MadePull> {
  let last = '';
  for await (const one of progress) {
    if (one.type === 'ended') return one.pull;
    const line = one.type === 'began' ? beginLine(one) : stepLine(one);
    if (line !== last) terminal.err(`${one.type === 'began' ? line : terminal.colors.dim(line)}\n`);
    last = line;
  }
  throw withoutResult('The pull', 'No file was changed.', signal);
}

const beginLine = ({ branch, remote, theirs, host, folder }: Extract<PullProgress, { type: 'began' }>): string =>
  `Pulling ${seenName(remote)}/${seenName(theirs)} from ${seenName(host)} into ${seenName(branch)} of ${seenName(folder)}.`;
