import type { Checkpoint, RestoreOutcome } from '@shared/contract/sessions-contract.ts';
import { seenName, seenWords } from '@shared/text/seen-text.ts';
import type { CoreClient } from '../../../../server/local-socket.ts';
import type { Command } from '../../../text/command-context.ts';
import { usageError } from '../../../text/report-failure.ts';
import { dateAndTime, jsonLine, oneLine, type Terminal } from '../../../text/terminal.ts';

export interface RestoreArguments {
  readonly files?: boolean;
  readonly conversation?: boolean;
  readonly replace?: boolean;
  readonly dryRun?: boolean;
  readonly json?: boolean;
}

/** Lists the points that a session can be restored to. */
export const checkpoints: Command<[string, { readonly json?: boolean }]> = async (context, id, { json }) => {
  const { terminal } = context;
  const core = await context.core();
  const { sessionId } = await core.sessions.find({ id });
  const all = await core.changes.checkpoints({ sessionId });
  if (json === true) terminal.out(jsonLine(all));
  else for (const one of all) terminal.out(`${lineOf(one, terminal)}\n`);
  if (all.length === 0) terminal.err('This session has no checkpoints yet: nobody sent it a message.\n');
  return 0;
};

function lineOf({ id, type, step, at, text, files, isSetAside }: Checkpoint, { colors }: Terminal): string {
  const what = type === 'message' ? 'message' : type === 'restore' ? 'restore' : `step ${step ?? '?'}`;
  const since = files === 1 ? '1 file since' : `${files} files since`;
  const aside = isSetAside ? colors.dim('  (not in the conversation)') : '';
  return `${id}  ${dateAndTime(at)}  ${what.padEnd(8)}  ${since.padEnd(14)}  ${oneLine(seenWords(text), 60)}${aside}`;
}

/** Restores a session to a checkpoint: its files, its conversation, or both if neither is named. */
export const restoreSession: Command<[string, string, RestoreArguments]> = async (context, id, named, args) => {
  const { terminal } = context;
  const core = await context.core();
  const { sessionId } = await core.sessions.find({ id });
  const isBoth = (args.files === true) === (args.conversation === true);
  const outcome = await core.changes.restore({
    sessionId,
    checkpoint: await checkpointId(core, sessionId, named),
    files: isBoth || args.files === true,
    conversation: isBoth || args.conversation === true,
    replaces: args.replace === true,
    isPreview: args.dryRun === true,
  });
  if (args.json === true) terminal.out(jsonLine(outcome));
  else report(outcome, sessionId, terminal);
  return outcome.kept.length === 0 ? 0 : 1;
};

/** A number means a step. */
async function checkpointId(core: CoreClient, sessionId: string, named: string): Promise<string> {
  if (!/^\d+$/u.test(named)) return named;
  const all = await core.changes.checkpoints({ sessionId });
  // The core says that there is none.
  if (all.length === 0) return named;
  const found = all.findLast(({ step, isSetAside }) => step === Number(named) && !isSetAside);
  if (found === undefined)
    throw usageError(
      `Session ${sessionId} has no step ${named}. Nothing was changed.`,
      `Run \`dewpoint sessions checkpoints ${sessionId}\` to see its checkpoints.`,
    );
  return found.id;
}

function report({ restored, merged, kept, messages, restoreId }: RestoreOutcome, id: string, terminal: Terminal): void {
  const isPlan = restoreId === null;
  for (const path of restored) {
    const note = merged.includes(path) ? ', with what changed in it since' : '';
    terminal.out(`${isPlan ? 'would restore' : 'restored'} ${seenName(path)}${note}\n`);
  }
  for (const { path, why } of kept)
    terminal.err(`${terminal.colors.yellow('kept')} ${seenName(path)}: ${seenWords(why)}\n`);
  if (messages > 0)
    terminal.out(
      `${messages} ${messages === 1 ? 'message' : 'messages'} ${isPlan ? 'would leave' : 'left'} the conversation\n`,
    );
  if (restored.length > 0) terminal.err(`Git commits ${isPlan ? 'would stay' : 'stay'} as they are.\n`);
  if (restoreId !== null) terminal.err(`Undo it: dewpoint sessions restore ${id} ${restoreId}\n`);
}
