import type { RequestPlan } from '@shared/git/request-plan.ts';
import { exitCodes } from '@shared/session/run-result.ts';
import { seenLines, seenName, seenWords } from '@shared/text/seen-text.ts';
import type { Command, CommandContext } from '../../../text/command-context.ts';
import { jsonLine } from '../../../text/terminal.ts';
import { confirmAtTerminal } from '../../questions/confirm.ts';
import { run } from '../run.command.ts';

export interface RequestArguments {
  readonly branch?: string;
  readonly remote?: string;
  readonly base?: string;
  readonly title?: string;
  readonly yes?: boolean;
  readonly json?: boolean;
}

/** Shows what would be sent and where, asks, pushes the branch, and opens a draft request. */
export const requestSession: Command<[string, RequestArguments]> = async (context, id, args) => {
  const { terminal, signal } = context;
  const core = await context.core();
  const { sessionId } = await core.sessions.find({ id });
  const { branch = null, remote = null, base = null, title = null } = args;
  const input = { sessionId, branch, remote, base, title };
  const plan = await core.git.planRequest(input, { signal });
  showPlan(plan, context);
  const question = `Push ${plan.branch} to ${plan.host} and open a draft?`;
  const without = { what: 'A push', without: 'To push without a question: --yes' };
  if (args.yes !== true && !(await confirmAtTerminal(question, context, without))) {
    terminal.err('Nothing was sent.\n');
    return exitCodes['needs-approval'];
  }
  const made = await core.git.request({ ...input, approval: plan.approval }, { signal });
  if (args.json === true) terminal.out(jsonLine(made));
  else terminal.out(`${seenName(made.url)}${made.isNew ? '' : '  (it was open; the branch is pushed to it)'}\n`);
  return 0;
};

function showPlan(plan: RequestPlan, { terminal: { err, colors } }: CommandContext): void {
  err(`Branch ${colors.yellow(seenName(plan.branch))} at ${plan.commit.slice(0, 8)}\n`);
  err(`to     ${colors.yellow(seenName(plan.address))}  (remote ${seenName(plan.remote)}, host ${plan.host})\n`);
  err(`for    ${plan.base === null ? 'the default branch of the host' : seenName(plan.base)}\n`);
  if (plan.others > 0) err(`${colors.yellow(`${plan.others} commits that are not of this session go along.`)}\n`);
  for (const note of plan.notes) err(`${seenWords(note)}\n`);
  err(`\n    ${seenWords(plan.title)}\n\n`);
  for (const line of seenLines(plan.body).split('\n')) err(`    ${line}\n`);
  err('\n');
}

/** Shows the comments of reviewers. After a yes they are a message of the session, marked as the words of others. */
export const reviewSession: Command<[string, RequestArguments]> = async (context, id, args) => {
  const { terminal, signal } = context;
  const core = await context.core();
  const { sessionId } = await core.sessions.find({ id });
  const review = await core.git.review(
    { sessionId, branch: args.branch ?? null, remote: args.remote ?? null },
    { signal },
  );
  if (args.json === true) terminal.out(jsonLine(review));
  else
    for (const { author, place, text } of review.comments)
      terminal.out(`${seenName(author)}${place === null ? '' : ` on ${seenName(place)}`}: ${seenLines(text)}\n\n`);
  if (review.comments.length === 0) {
    const since = review.given === 0 ? 'yet' : 'since the agent was given the comments';
    terminal.err(`Nobody commented on ${seenName(review.url)} ${since}.\n`);
    return 0;
  }
  const without = { what: 'Work on the comments', without: 'To let the agent work on them without a question: --yes' };
  if (args.json === true && args.yes !== true) return 0;
  if (args.yes !== true && !(await confirmAtTerminal('Let the agent work on these comments?', context, without)))
    return 0;
  return run(context, review.message, { session: sessionId });
};
