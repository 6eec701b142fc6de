import type { PushPlan } from '@shared/git/push-plan.ts';
import { exitCodes } from '@shared/session/run-result.ts';
import { seenName, seenWords } from '@shared/text/seen-text.ts';
import type { Command, CommandContext } from '../../../text/command-context.ts';
import { jsonLine } from '../../../text/terminal.ts';
import { confirmAtTerminal } from '../../questions/confirm.ts';
import { folderOfWord } from './named-project.ts';

export interface PushArguments {
  readonly branch?: string;
  readonly remote?: string;
  readonly yes?: boolean;
  readonly json?: boolean;
}

const shownCommits = 20;

/** Shows what would be sent and where, asks, and pushes the branch. */
export const pushProject: Command<[string | undefined, PushArguments]> = async (context, dir, args) => {
  const { terminal, signal } = context;
  const core = await context.core();
  const { branch = null, remote = null } = args;
  const input = { projectPath: await folderOfWord(context.core, dir ?? '.'), branch, remote };
  const plan = await core.git.planPush(input, { signal });
  showPlan(plan, context);
  const without = { what: 'A push', without: 'To push without a question: --yes' };
  const question = `Push ${seenName(plan.branch)} to ${plan.host}?`;
  if (args.yes !== true && !(await confirmAtTerminal(question, context, without))) {
    terminal.err('Nothing was sent.\n');
    return exitCodes['needs-approval'];
  }
  const made = await core.git.push({ ...input, approval: plan.approval }, { signal });
  if (args.json === true) terminal.out(jsonLine(made));
  else terminal.out(`Pushed ${seenName(made.branch)} (${made.commit.slice(0, 12)}) to ${seenName(made.address)}.\n`);
  return 0;
};

function showPlan(plan: PushPlan, { terminal: { err, colors } }: CommandContext): void {
  const { branch, commit, address, remote, host, isNew, commits, count, notes } = plan;
  err(`Branch ${colors.yellow(seenName(branch))} at ${commit.slice(0, 8)}${isNew ? ', which is new there' : ''}\n`);
  err(`to     ${colors.yellow(seenName(address))}  (remote ${seenName(remote)}, host ${seenName(host)})\n`);
  err(`${countLine(count, commits.length)}\n`);
  for (const { id, title, author } of commits.slice(0, shownCommits))
    err(`    ${id.slice(0, 8)}  ${seenWords(title)}  ${colors.dim(seenName(author))}\n`);
  if (count === null || count > shownCommits) err('    …\n');
  for (const note of notes) err(`${colors.yellow(seenWords(note))}\n`);
  err('\n');
}

function countLine(count: number | null, shown: number): string {
  if (count === null) return `More commits than were counted. The latest ${Math.min(shown, shownCommits)}:`;
  if (count === 0) return 'No new commits: the remote has them on other branches.';
  return count === 1 ? '1 commit:' : `${count.toLocaleString('en')} commits:`;
}
