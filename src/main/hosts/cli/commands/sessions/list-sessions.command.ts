import { z } from 'zod';
import { moneyText } from '@shared/money/money-text.ts';
import type { SessionSummary } from '@shared/contract/sessions-contract.ts';
import type { ListedTalk, SessionFilter } from '@shared/session/session-filter.ts';
import { asTalks, fitsFilter } from '@shared/session/session-filter.ts';
import { projectLabel } from '@shared/projects/project-list.ts';
import { needOf, ownFirst, sortByNeed } from '@shared/session/session-news.ts';
import { seenName, seenWords } from '@shared/text/seen-text.ts';
import { projectKey } from '../../../../lib/files/project-key.ts';
import { keyOfWord } from '../projects/named-project.ts';
import type { Command, CommandContext } from '../../../text/command-context.ts';
import { usageError } from '../../../text/report-failure.ts';
import { padRight } from '../../../text/columns.ts';
import { endingWidth, shortEnding } from '../../../text/ending-words.ts';
import { pluralize, dateAndTime, jsonLine, oneLine } from '../../../text/terminal.ts';
import { tagOf } from './organize-sessions.command.ts';

export interface ListArguments {
  readonly project?: string;
  readonly tag?: string;
  readonly model?: string;
  readonly place?: string;
  readonly since?: string;
  readonly minCost?: string;
  readonly pinned?: boolean;
  readonly archived?: boolean;
  readonly json?: boolean;
}

/** One session per line: first what needs you, then the latest, then runs of comparisons. Archived ones are shown only on request. */
export const listSessions: Command<[ListArguments]> = async ({ core, terminal }, args) => {
  const filter = await filterOf(args, core);
  const sessions = ownFirst(sortByNeed(asTalks(await (await core()).sessions.list())));
  const model = args.model?.toLowerCase();
  const usesModel = ({ models }: SessionSummary): boolean =>
    model === undefined || models.some((id) => id.toLowerCase().includes(model));
  const fitting = (archived: SessionFilter['archived']): readonly ListedTalk[] =>
    sessions.filter((session) => fitsFilter(session, withArchived(filter, archived)) && usesModel(session));
  const shown = fitting(args.archived === true ? 'only' : undefined);
  if (args.json === true) {
    terminal.out(jsonLine(shown));
    return 0;
  }
  const names = shown.some(({ project }) => project !== null) ? await namesOf(core) : new Map<string, string>();
  for (const { session, depth } of asTree(shown)) terminal.out(`${lineOf(session, depth, names)}\n`);
  if (sessions.length === 0) terminal.err('No sessions yet. Start one: dewpoint run "…" --project DIR\n');
  else if (shown.length === 0) terminal.err('No sessions match.\n');
  const hidden = args.archived === true ? 0 : fitting('only').length;
  if (hidden > 0) terminal.err(`${pluralize(hidden, 'archived session')} not shown. Add --archived to see them.\n`);
  return 0;
};

function withArchived(filter: SessionFilter, archived: SessionFilter['archived']): SessionFilter {
  return archived === undefined ? filter : { ...filter, archived };
}

/** Throws `usage` for an invalid option. */
async function filterOf(
  { project, tag, place, since, minCost, pinned }: ListArguments,
  core: CommandContext['core'],
): Promise<SessionFilter> {
  if (place !== undefined && place !== 'local' && place !== 'cloud') {
    throw usageError(`--place takes local or cloud, not "${place}".`);
  }
  if (since !== undefined && !z.iso.date().safeParse(since).success) {
    throw usageError(`--since takes a date like 2026-11-21, not "${since}".`);
  }
  const minUsd = Number(minCost);
  if (minCost !== undefined && (minCost.trim() === '' || !Number.isFinite(minUsd) || minUsd < 0)) {
    throw usageError(`--min-cost takes an amount in US dollars like 0.50, not "${minCost}".`);
  }
  return {
    ...(project === undefined ? {} : { project: await projectKey(await keyOfWord(core, project)) }),
    ...(tag === undefined ? {} : { tag: tagOf(tag) }),
    ...(place === undefined ? {} : { place }),
    // Midnight in the local time zone.
    ...(since === undefined ? {} : { since: new Date(`${since}T00:00:00`).getTime() }),
    ...(minCost === undefined ? {} : { minUsd }),
    ...(pinned === true ? { isPinned: true } : {}),
  };
}

/** Puts agents below the session that started them, or at the top level if that one is not shown. */
function asTree(sessions: readonly ListedTalk[]): readonly { readonly session: ListedTalk; readonly depth: number }[] {
  const shown = new Set(sessions.map(({ sessionId }) => sessionId));
  const isBelow = ({ startedBy }: SessionSummary): boolean => startedBy !== undefined && shown.has(startedBy);
  return sessions
    .filter((session) => !isBelow(session))
    .flatMap((session) => [
      { session, depth: 0 },
      // In the order in which they started.
      ...sessions
        .filter(({ startedBy }) => startedBy === session.sessionId)
        .toReversed()
        .map((child) => ({ session: child, depth: 1 })),
    ]);
}

/** The name of each project, by its key. */
async function namesOf(core: CommandContext['core']): Promise<ReadonlyMap<string, string>> {
  const heads = await (await core()).projects.records();
  return new Map(heads.map(({ key, name }) => [key, projectLabel({ name, key })]));
}

function lineOf(session: ListedTalk, depth: number, names: ReadonlyMap<string, string>): string {
  const { sessionId, status, lastReason, steps, costUsd, title, project, isPinned, isArchived, tags } = session;
  const need = needOf(session);
  const state = need === 'answer' ? 'waiting' : status === 'idle' ? (lastReason ?? 'new') : status;
  const name = project === null ? null : (names.get(project) ?? projectLabel({ name: null, key: project }));
  const place = [
    ...(name === null ? [] : [`in ${seenName(name)}`]),
    ...(need === 'look' ? ['not looked at'] : []),
    ...(session.branches === undefined ? [] : [`${session.branches.length} branches`]),
    ...(isPinned ? ['pinned'] : []),
    ...(isArchived ? ['archived'] : []),
    ...tags.map((tag) => `#${seenName(tag)}`),
  ];
  const facts = `${padRight(shortEnding(state), endingWidth)}  ${pluralize(steps, 'step').padEnd(9)} ${moneyText(costUsd).padStart(8)}`;
  const after = place.length === 0 ? '' : `  ${place.join(' ')}`;
  const shift = depth === 0 ? '' : '└ ';
  return `${sessionId}  ${dateAndTime(session.updatedAt)}  ${facts}  ${shift}${oneLine(seenWords(title), 60)}${after}`;
}
