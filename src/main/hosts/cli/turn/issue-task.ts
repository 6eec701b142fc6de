import type { IssueTask } from '@shared/git/issue-task.ts';
import { seenName } from '@shared/text/seen-text.ts';
import type { CommandContext } from '../../text/command-context.ts';
import { usageError } from '../../text/report-failure.ts';

/** The issue that a run begins from. Says what was found, because its words are those of others. */
export async function issueTask(
  { core, signal, terminal }: CommandContext,
  issue: string,
  projectPath: string | undefined,
): Promise<IssueTask> {
  if (projectPath === undefined)
    throw usageError('An issue belongs to a project.', 'For example: dewpoint run --project . --issue 12');
  const found = await (await core()).git.issue({ projectPath, issue }, { signal });
  const said = found.comments === 1 ? '1 comment' : `${found.comments} comments`;
  terminal.err(`${seenName(found.title)} (${found.isOpen ? 'open' : 'closed'}, ${said}): ${seenName(found.url)}\n`);
  terminal.err(`${terminal.colors.dim(`A commit of this session goes to the branch ${found.branch}.`)}\n`);
  return found;
}
