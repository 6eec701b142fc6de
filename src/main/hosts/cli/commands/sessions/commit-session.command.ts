import type { CommitPlan } from '@shared/git/commit-plan.ts';
import { exitCodes } from '@shared/session/run-result.ts';
import { seenLines, seenName, seenWords } from '@shared/text/seen-text.ts';
import type { Command, CommandContext } from '../../../text/command-context.ts';
import { jsonLine } from '../../../text/terminal.ts';
import { confirmAtTerminal } from '../../questions/confirm.ts';

export interface CommitArguments {
  readonly branch?: string;
  readonly message?: string;
  readonly yes?: boolean;
  readonly json?: boolean;
}

/** Shows the commit of a session's changes, asks, and makes it on a branch that is not checked out. */
export const commitSession: Command<[string, CommitArguments]> = async (context, id, args) => {
  const { terminal, signal } = context;
  const core = await context.core();
  const { sessionId } = await core.sessions.find({ id });
  const input = { sessionId, branch: args.branch ?? null, message: args.message ?? null };
  const plan = await core.git.planCommit(input, { signal });
  showPlan(plan, context);
  const without = { what: 'A commit', without: 'To commit without a question: --yes' };
  if (args.yes !== true && !(await confirmAtTerminal('Commit this?', context, without))) {
    terminal.err('Nothing was committed.\n');
    return exitCodes['needs-approval'];
  }
  const made = await core.git.commit({ ...input, approval: plan.approval }, { signal });
  if (args.json === true) terminal.out(jsonLine(made));
  else terminal.out(`${made.commit.slice(0, 12)} on ${made.branch}\n`);
  return 0;
};

function showPlan(plan: CommitPlan, { terminal: { err, colors } }: CommandContext): void {
  const where = plan.isMore ? 'one more commit on' : 'a new branch';
  err(`${where} ${colors.yellow(plan.branch)}, based on ${plan.base.slice(0, 8)}\n`);
  err(`Author: ${seenWords(plan.author)}\n\n`);
  for (const line of seenLines(plan.message.trimEnd()).split('\n')) err(`    ${line}\n`);
  err('\n');
  for (const { path, kind, note } of plan.files)
    err(`${kind.padEnd(9)}  ${seenName(path)}${note === null ? '' : `: ${seenWords(note)}`}\n`);
  for (const note of plan.notes) err(`${colors.yellow(seenWords(note))}\n`);
}
