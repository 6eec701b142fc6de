import type { ChangedFile, ChangeOutcome } from '@shared/contract.ts';
import { runsLater } from '@shared/runs-later.ts';
import type { Command } from './context.ts';
import { usageError } from './fail.ts';
import { seenLine, seenName } from './seen-text.ts';
import type { Terminal } from './terminal.ts';
import { jsonLine } from './terminal.ts';

const actions = ['show', 'take', 'undo'] as const;
type Action = (typeof actions)[number];

const isAction = (word: string): word is Action => actions.some((action) => action === word);

/** `changes SESSION [show|take|undo] [PATH…]`: without an action, show. */
export const changes: Command<[string, readonly string[], { readonly json?: boolean }]> = async (
  context,
  id,
  words,
  { json },
) => {
  const { terminal } = context;
  const [first, ...rest] = words;
  const action: Action = first === undefined ? 'show' : isAction(first) ? first : 'show';
  if (first !== undefined && !isAction(first)) {
    throw usageError(`"${first}" is not show, take or undo.`, `For example: dewpoint changes ${id} undo ${first}`);
  }
  const core = await context.core();
  const { sessionId } = await core.sessions.find({ id });
  const input = { sessionId, paths: [...rest] };
  if (action === 'show') {
    const files = await core.changes.show(input);
    if (json === true) terminal.out(jsonLine(files));
    else show(files, terminal);
    return 0;
  }
  const before = action === 'undo' ? await core.changes.show(input) : [];
  const outcome = action === 'undo' ? await core.changes.undo(input) : await core.changes.take(input);
  // To undo what was undone brings the agent's change back.
  const undone = new Set(before.filter((file) => file.state === 'undone').map((file) => file.path));
  const word = (path: string): string => (action === 'take' ? 'taken' : undone.has(path) ? 'brought back' : 'undone');
  if (json === true) terminal.out(jsonLine(outcome));
  else report(outcome, word, terminal);
  if (json !== true && outcome.done.length + outcome.refused.length === 0)
    terminal.err(`There is nothing to ${action}.\n`);
  return outcome.refused.length === 0 ? 0 : 1;
};

function show(files: readonly ChangedFile[], terminal: Terminal): void {
  const { colors } = terminal;
  if (files.length === 0) terminal.err('This session changed no file.\n');
  warnOfRunning(files, terminal);
  for (const file of files) {
    const state = file.state === 'open' ? '' : ` (${file.state})`;
    terminal.out(`${file.kind} ${seenName(file.path)}  +${file.added ?? '?'} -${file.removed ?? '?'}${state}\n`);
    if (file.diff === null) terminal.out(colors.dim('  binary, or its bytes were not kept\n'));
    else
      terminal.out(
        `${file.diff
          .split('\n')
          .map((line) => paint(seenLine(line), terminal))
          .join('\n')}\n`,
      );
  }
}

/** What an agent wrote may run outside the sandbox later, without being asked: that wants a second look. */
function warnOfRunning(files: readonly ChangedFile[], { colors, err }: Terminal): void {
  const running = files.flatMap(({ path, state }) => {
    const why = state === 'undone' ? null : runsLater(path);
    return why === null ? [] : [`  ${seenName(path)}: ${why}\n`];
  });
  if (running.length > 0) err(`${colors.yellow('Will run on your machine later:')}\n${running.join('')}`);
}

function paint(line: string, { colors }: Terminal): string {
  if (line.startsWith('+')) return colors.green(line);
  return line.startsWith('-') ? colors.red(line) : line;
}

function report(outcome: ChangeOutcome, word: (path: string) => string, terminal: Terminal): void {
  for (const path of outcome.done) terminal.out(`${word(path)} ${seenName(path)}\n`);
  for (const { path, why } of outcome.refused) {
    terminal.err(`${terminal.colors.yellow('left as it is')} ${seenName(path)}: ${seenName(why)}\n`);
  }
}
