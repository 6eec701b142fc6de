import { resolve } from 'node:path';
import { droppedGrantsText } from '@shared/safety/approval-grants.ts';
import { seenName, seenWords } from '@shared/text/seen-text.ts';
import type { CoreClient } from '../../../../server/local-socket.ts';
import type { Command } from '../../../text/command-context.ts';
import { checkpoints, restoreSession, type RestoreArguments } from './checkpoints.command.ts';
import { usageError } from '../../../text/report-failure.ts';
import { dateAndTime, jsonLine, oneLine } from '../../../text/terminal.ts';
import type { SessionSummary } from '@shared/contract/sessions-contract.ts';

export type LibraryAction =
  | 'rename'
  | 'fork'
  | 'checkpoints'
  | 'export'
  | 'import'
  | 'delete'
  | 'bin'
  | 'restore'
  | 'purge';

export interface LibraryArguments extends RestoreArguments {
  readonly before?: string;
  readonly after?: string;
}

/** Commands for whole sessions. `words`: the session or the file to import, then what else is needed. */
export const library: Command<[LibraryAction, readonly string[], LibraryArguments]> = async (
  context,
  action,
  [first = '', second = ''],
  args,
) => {
  const { terminal, signal } = context;
  const core = await context.core();
  switch (action) {
    case 'rename': {
      const { sessionId } = await core.sessions.find({ id: first });
      await core.sessions.rename({ sessionId, title: second });
      return 0;
    }
    case 'fork': {
      const { sessionId } = await core.sessions.find({ id: first });
      const at = await pointOf(core, sessionId, args);
      const outcome = await core.sessions.fork({ sessionId, ...(at === null ? {} : { at }) }, { signal });
      for (const { path, why } of outcome.notRestored)
        terminal.err(`${seenName(path)} was not restored: ${seenName(why)}\n`);
      terminal.out(args.json === true ? jsonLine(outcome) : `${outcome.sessionId}\n`);
      return 0;
    }
    case 'export': {
      const { sessionId } = await core.sessions.find({ id: first });
      const { missing, branches } = await core.sessions.export({ sessionId, path: resolve(second) }, { signal });
      if (missing > 0) terminal.err(`${missing} stored files are missing and not included.\n`);
      if (branches > 0)
        terminal.err(
          `The talk has ${branches === 1 ? 'another branch' : `${branches} other branches`} that the file does not contain.\n`,
        );
      terminal.err(`${second} contains the conversation and the contents of its files. Read it before you share it.\n`);
      return 0;
    }
    case 'import': {
      const imported = await core.sessions.import({ path: resolve(first) }, { signal });
      terminal.out(args.json === true ? jsonLine(imported) : `${imported.sessionId}\n`);
      const text = droppedGrantsText(imported.dropped);
      if (text !== null) terminal.err(`${text}\n`);
      return 0;
    }
    case 'delete': {
      const { sessionId } = await core.sessions.find({ id: first });
      await core.sessions.delete({ sessionId });
      terminal.err(`${sessionId} is in the bin. Restore it: dewpoint sessions restore ${sessionId}\n`);
      return 0;
    }
    case 'bin': {
      const binned = await core.sessions.binned();
      if (args.json === true) terminal.out(jsonLine(binned));
      else for (const session of binned) terminal.out(`${lineOf(session)}\n`);
      if (binned.length === 0) terminal.err('The bin is empty.\n');
      return 0;
    }
    case 'checkpoints':
      return checkpoints(context, first, args);
    case 'restore':
      if (second !== '') return restoreSession(context, first, second, args);
      if (args.files === true || args.conversation === true || args.replace === true || args.dryRun === true)
        throw usageError(
          'Name the checkpoint to restore to. Nothing was changed.',
          `Run \`dewpoint sessions checkpoints ${first}\` to see them.`,
        );
      terminal.out(`${(await core.sessions.restore({ id: first })).sessionId}\n`);
      return 0;
    case 'purge':
      await core.sessions.purge({ id: first });
      return 0;
    default:
      return action satisfies never;
  }
};

function lineOf({ sessionId, updatedAt, title }: SessionSummary): string {
  const date = dateAndTime(updatedAt);
  return `${sessionId}  ${date}  ${oneLine(seenWords(title), 60)}`;
}

/** A number means a step, as `sessions show` counts them. If it occurs twice, the last one counts. */
async function pointOf(
  core: CoreClient,
  sessionId: string,
  { before, after }: LibraryArguments,
): Promise<{ readonly before: string } | { readonly after: string } | null> {
  if (before !== undefined && after !== undefined) throw usageError('Use --before or --after, not both.');
  const text = before ?? after;
  if (text === undefined) return null;
  const id = /^\d+$/u.test(text) ? await stepId(core, sessionId, Number(text)) : text;
  return before === undefined ? { after: id } : { before: id };
}

async function stepId(core: CoreClient, sessionId: string, step: number): Promise<string> {
  const { state } = await core.sessions.show({ sessionId });
  const found = state.steps.findLast((candidate) => candidate.step === step);
  if (found === undefined) throw usageError(`Session ${sessionId} has no step ${step}.`);
  return found.callId;
}
