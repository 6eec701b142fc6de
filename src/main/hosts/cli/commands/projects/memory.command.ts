import type { ForgetReport, MemoryLine } from '@shared/projects/memory-line.ts';
import { seenName, seenWords } from '@shared/text/seen-text.ts';
import type { Command } from '../../../text/command-context.ts';
import { jsonLine } from '../../../text/terminal.ts';
import { projectOfWord } from './named-project.ts';

export type MemoryAction = 'list' | 'add' | 'forget';

export interface MemoryArguments {
  readonly project?: string;
  readonly everywhere?: boolean;
  readonly json?: boolean;
}

/** What agents know in later tasks. `words`: the new line, the id of one, or words that a listed line must hold. */
export const memory: Command<[MemoryAction, readonly string[], MemoryArguments]> = async (
  context,
  action,
  words,
  args,
) => {
  const [word = ''] = words;
  const { terminal } = context;
  const projectPath = await projectOfWord(context.core, args.project ?? '.');
  const core = await context.core();
  const of = args.everywhere === true ? 'you' : 'project';
  const {
    files,
    lines: all,
    forgotten,
  } = await {
    list: () => core.memory.list({ projectPath }),
    add: () => core.memory.add({ projectPath, text: word, of }),
    forget: () => core.memory.forget({ projectPath, id: word }),
  }[action]();
  const sought = action === 'list' ? words.map((one) => one.toLowerCase()) : [];
  const lines = all.filter(({ text }) => sought.every((one) => text.toLowerCase().includes(one)));
  if (args.json === true) terminal.out(jsonLine({ files, lines, ...(forgotten === undefined ? {} : { forgotten }) }));
  else for (const line of lines) terminal.out(`${lineText(line)}\n`);
  if (all.length > 0 && lines.length === 0) terminal.err(`None of the ${all.length} lines has these words.\n`);
  if (all.length === 0)
    terminal.err(
      `Nothing is noted. Add a line: dewpoint memory add, or write ${seenName(files.project ?? files.you)}\n`,
    );
  if (forgotten !== undefined && args.json !== true) terminal.err(`${forgottenText(forgotten)}\n`);
  return forgotten === undefined || forgotten.busy.length === 0 ? 0 : 1;
};

function forgottenText({ sessions, busy, isTooShort }: ForgetReport): string {
  const logs = isTooShort
    ? 'It is too short to be told from other words, so the logs stay as they are.'
    : `It was taken out of ${sessions} ${sessions === 1 ? 'log' : 'logs'}.`;
  const later = busy.length === 0 ? '' : ` These work now: ${busy.map(seenName).join(', ')}. Forget it again later.`;
  return `Forgotten. ${logs}${later} What a cloud provider got, exported sessions, commits and your own files are not changed.`;
}

function lineText({ id, text, date, sessionId, isAfterOutside, of, uses = [] }: MemoryLine): string {
  const used = uses.length === 0 ? null : `of use in ${uses.length} ${uses.length === 1 ? 'session' : 'sessions'}`;
  const outside = isAfterOutside ? 'after text from outside' : null;
  const from = [of === 'you' ? 'every project' : 'this project', date, sessionId, used, outside].filter(
    (one) => one !== null,
  );
  return `${id}  ${seenWords(text)}  (${from.map(seenName).join(', ')})`;
}
