import { seenName, seenWords } from '@shared/text/seen-text.ts';
import type { Command } from '../../../text/command-context.ts';
import { pluralize } from '../../../text/terminal.ts';
import { confirm } from '../../questions/confirm.ts';
import { projectNamed } from '../projects/named-project.ts';

export interface MoveArguments {
  /** A name, an id or a folder; `none`: out of its project. */
  readonly project: string;
  readonly yes?: boolean;
}

/** Moves talks into a project or out of it, after it said what changes for them. */
export const moveTalks: Command<[readonly string[], MoveArguments]> = async (context, sessions, args) => {
  const { terminal } = context;
  const core = await context.core();
  const target = args.project === 'none' ? null : await projectNamed(core, args.project);
  const project = target?.path ?? null;
  const sessionIds: string[] = [];
  for (const id of sessions) sessionIds.push((await core.sessions.find({ id })).sessionId);
  const previews = await core.sessions.movePreview({ sessionIds, project });
  const changes = new Set(previews.flatMap((one) => one.changes));
  for (const change of changes) terminal.err(`${seenWords(change)}\n`);
  if (changes.size > 0 && args.yes !== true && terminal.isInteractive) {
    const what = pluralize(sessionIds.length, 'session');
    const isSure = await confirm(
      target === null ? `Move ${what} out of its project?` : `Move ${what} into ${seenName(target.name)}?`,
      context,
    );
    if (!isSure) {
      terminal.err('Nothing was moved.\n');
      return 1;
    }
  }
  const { done, refused } = await core.sessions.move({ sessionIds, project });
  for (const { sessionId, why } of refused) terminal.err(`${sessionId} was not moved. ${seenWords(why)}\n`);
  if (done.length > 0) {
    const where = target === null ? 'out of all projects' : `in the project ${seenName(target.name)}`;
    terminal.err(`${pluralize(done.length, 'session')} ${where}. What was said stays.\n`);
  }
  return refused.length > 0 ? 1 : 0;
};
