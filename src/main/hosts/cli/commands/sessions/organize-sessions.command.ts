import { callFolder } from '@shared/sandbox/call-file.ts';
import { seenName } from '@shared/text/seen-text.ts';
import { readTag, tagRule } from '@shared/session/session-tags.ts';
import type { Command } from '../../../text/command-context.ts';
import { usageError } from '../../../text/report-failure.ts';
import { pluralize } from '../../../text/terminal.ts';

export type OrganizeAction =
  | 'pin'
  | 'unpin'
  | 'archive'
  | 'unarchive'
  | 'tag'
  | 'untag'
  | 'save-calls'
  | 'unsave-calls';

/** Pins, archives or tags sessions, or has their calls saved. `tags`: for `tag` and `untag`, as typed. */
export const organize: Command<[OrganizeAction, readonly string[], readonly string[]]> = async (
  context,
  action,
  sessions,
  tags,
) => {
  const { terminal } = context;
  const read = tags.map(tagOf);
  const core = await context.core();
  const sessionIds: string[] = [];
  for (const id of sessions) sessionIds.push((await core.sessions.find({ id })).sessionId);
  const { done, refused } = await core.sessions.organize({ sessionIds, ...changeOf(action, read) });
  for (const { sessionId, why } of refused) terminal.err(`${sessionId} was not changed: ${seenName(why)}\n`);
  if (done.length > 0) terminal.err(`${saidOf(action, pluralize(done.length, 'session'))}\n`);
  return refused.length > 0 ? 1 : 0;
};

/** Throws `usage` for an invalid tag. */
export function tagOf(typed: string): string {
  const tag = readTag(typed);
  if (tag === null) throw usageError(`"${typed}" cannot be a tag.`, `${tagRule}.`);
  return tag;
}

function changeOf(action: OrganizeAction, tags: string[]) {
  switch (action) {
    case 'pin':
    case 'unpin':
      return { isPinned: action === 'pin' };
    case 'archive':
    case 'unarchive':
      return { isArchived: action === 'archive' };
    case 'save-calls':
    case 'unsave-calls':
      return { savesCalls: action === 'save-calls' };
    case 'tag':
      return { addTags: tags };
    case 'untag':
      return { removeTags: tags };
    default:
      return action satisfies never;
  }
}

function saidOf(action: OrganizeAction, sessions: string): string {
  const said = {
    pin: `${sessions} pinned.`,
    unpin: `${sessions} unpinned.`,
    archive: `${sessions} archived. See archived sessions: dewpoint sessions list --archived`,
    unarchive: `${sessions} back in the list.`,
    tag: `${sessions} tagged.`,
    untag: `${sessions} untagged.`,
    'save-calls': `From the next message on, each tool call of ${sessions} is written into ${callFolder} of its folder.`,
    'unsave-calls': `Calls of ${sessions} are no longer written. The file stays.`,
  };
  return said[action];
}
