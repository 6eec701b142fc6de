import { posix, relative, resolve, sep } from 'node:path';
import { withoutEqualEnds } from '@shared/text/equal-line-ends.ts';
import { AppError } from '@shared/errors.ts';
import type { UntrackedPlace } from '@shared/events/sandbox-events.ts';
import { autoRunReason } from '@shared/safety/auto-run-files.ts';
import { seenLineText, seenName, seenWords } from '@shared/text/seen-text.ts';
import type { Command } from '../../../text/command-context.ts';
import { usageError } from '../../../text/report-failure.ts';
import type { Terminal } from '../../../text/terminal.ts';
import { jsonLine } from '../../../text/terminal.ts';
import { didYouMean } from '@shared/text/near-name.ts';
import type { HunkState } from '@shared/events/tool-events.ts';
import type { ChangedFile, ChangeOutcome, HunkChoice } from '@shared/contract/sessions-contract.ts';

const actions = ['show', 'take', 'undo'] as const;
type Action = (typeof actions)[number];

const isAction = (word: string): word is Action => actions.some((action) => action === word);

export interface ChangesArguments {
  readonly json?: boolean;
  /** Numbers of hunks as `show` prints them, separated by commas. */
  readonly hunk?: string;
}

/** `changes SESSION [show|take|undo] [PATH…]`. Without an action: show. */
export const changes: Command<[string, readonly string[], ChangesArguments]> = async (
  context,
  id,
  words,
  { json, hunk },
) => {
  const { terminal } = context;
  const [first, ...rest] = words;
  const action: Action = first === undefined ? 'show' : isAction(first) ? first : 'show';
  if (first !== undefined && !isAction(first)) {
    const near = didYouMean(first, actions);
    throw usageError(
      `Use show, take or undo, not "${first}".`,
      near === '' ? `For example: dewpoint changes ${id} undo ${first}` : near.trim(),
    );
  }
  const core = await context.core();
  const { sessionId, projectPath } = await core.sessions.find({ id });
  const all = rest.length === 0 ? [] : await core.changes.show({ sessionId });
  const input = { sessionId, paths: rest.map((path) => changedPath(path, all, { projectPath, id })) };
  const files = await core.changes.show(input);
  if (action === 'show') {
    if (json === true) terminal.out(jsonLine(files));
    else show(files, await core.changes.untracked({ sessionId }), terminal);
    return 0;
  }
  const chosen = hunk === undefined ? input : { ...input, hunks: hunkChoice(hunk, files, input.paths) };
  const outcome = action === 'undo' ? await core.changes.undo(chosen) : await core.changes.take(chosen);
  if (json === true) terminal.out(jsonLine(outcome));
  else report(outcome, action, terminal);
  if (json !== true && outcome.done.length + outcome.refused.length === 0) terminal.err(nothingTo(action, files));
  return outcome.refused.length === 0 ? 0 : 1;
};

function hunkChoice(typed: string, files: readonly ChangedFile[], paths: readonly string[]): HunkChoice {
  const [file, ...more] = files.filter(({ path }) => paths.includes(path));
  const example = 'For example: dewpoint changes last undo src/app.py --hunk 2';
  if (file === undefined || more.length > 0) throw usageError('Name one file with --hunk.', example);
  const { version, hunks = [] } = file;
  if (version === undefined || hunks.length === 0)
    throw new AppError('bad-input', `The changes of ${file.path} can only be decided on together.`);
  const numbers = typed.split(',').map(Number);
  if (!numbers.every((number) => Number.isInteger(number) && number > 0 && number <= hunks.length))
    throw usageError(`${file.path} has hunks 1 to ${hunks.length}, not "${typed}".`, example);
  return { places: numbers.map((number) => number - 1), version };
}

/** A path as the changes name it: as typed, or resolved from here. Never empty, which would mean all files. */
function changedPath(
  typed: string,
  files: readonly ChangedFile[],
  { projectPath, id }: { readonly projectPath: string | null; readonly id: string },
): string {
  const fromHere = projectPath === null ? [] : [relative(projectPath, resolve(typed)).split(sep).join('/') || '.'];
  const ways = [posix.normalize(typed), ...fromHere];
  const found = ways
    .map((way) => way.replace(/(?<!\/)\/+$/u, ''))
    .find((way) => way === '.' || files.some(({ path }) => path === way || path.startsWith(`${way}/`)));
  if (found !== undefined) return found;
  throw new AppError('not-found', `This session did not change ${typed}.`, {
    hint: `Run \`dewpoint changes ${id}\` to see its changes.`,
  });
}

function nothingTo(action: 'take' | 'undo', files: readonly ChangedFile[]): string {
  const isSettled = action === 'undo' && files.some(({ state }) => state === 'taken');
  return isSettled
    ? 'Nothing to undo: changes that you took stay. Use `show` to see them.\n'
    : `Nothing to ${action}.\n`;
}

function show(files: readonly ChangedFile[], untracked: readonly UntrackedPlace[], terminal: Terminal): void {
  const { colors } = terminal;
  if (files.length === 0) terminal.err('This session changed no files.\n');
  warnOfRunning(files, untracked, terminal);
  for (const file of files) {
    const state = file.state === 'open' ? '' : ` (${file.state})`;
    terminal.out(`${file.kind} ${seenName(file.path)}  +${file.added ?? '?'} -${file.removed ?? '?'}${state}\n`);
    const note = file.note ?? (file.diff === null ? 'binary, or its content was not kept' : null);
    if (note !== null) terminal.out(colors.dim(`  ${seenWords(note)}\n`));
    if (file.diff !== null) terminal.out(`${diffLines(file.diff, file.hunks ?? [], terminal).join('\n')}\n`);
  }
}

/** Warns of files that may run outside of the sandbox later, without a question. */
function warnOfRunning(
  files: readonly ChangedFile[],
  untracked: readonly UntrackedPlace[],
  { colors, err }: Terminal,
): void {
  const running = files.flatMap(({ path, state }) => {
    const why = state === 'undone' ? null : autoRunReason(path);
    return why === null ? [] : [`  ${seenName(path)}: ${why}\n`];
  });
  const left = untracked.map(
    ({ path, why, done }) => `  ${seenName(path)}: ${seenName(why)}${done === null ? '' : ` (${seenName(done)})`}\n`,
  );
  const all = [...running, ...left];
  if (all.length > 0) err(`${colors.yellow('May run on your machine later:')}\n${all.join('')}`);
}

/** If there is more than one hunk, each has a number, by which it is taken or undone. */
function diffLines(diff: string, hunks: readonly HunkState[], terminal: Terminal): readonly string[] {
  let number = 0;
  return withoutEqualEnds(diff)
    .split('\n')
    .map((line) => {
      const painted = paint(seenLineText(line), terminal);
      if (!line.startsWith('@@') || hunks.length < 2) return painted;
      const state = hunks[number] ?? 'open';
      number += 1;
      return `${painted}  ${terminal.colors.bold(`hunk ${number}${state === 'open' ? '' : ` (${state})`}`)}`;
    });
}

function paint(line: string, { colors }: Terminal): string {
  if (line.startsWith('+')) return colors.green(line);
  return line.startsWith('-') ? colors.red(line) : line;
}

function report(outcome: ChangeOutcome, action: 'take' | 'undo', terminal: Terminal): void {
  // Undoing an undo restores the agent's change.
  const back = new Set(outcome.broughtBack);
  const word = (path: string): string => (action === 'take' ? 'taken' : back.has(path) ? 'restored' : 'undone');
  const merged = new Set(outcome.merged);
  for (const path of outcome.done) {
    const beside = merged.has(path) ? ' (what you changed in it stays)' : '';
    terminal.out(`${word(path)} ${seenName(path)}${beside}\n`);
  }
  for (const { path, why } of outcome.refused) {
    terminal.err(`${terminal.colors.yellow('not changed')} ${seenName(path)}: ${seenName(why)}\n`);
  }
}
