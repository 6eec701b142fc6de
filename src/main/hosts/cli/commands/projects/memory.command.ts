import { resolve } from 'node:path';
import type { MemoryLine } from '@shared/projects/memory-line.ts';
import { seenName, seenWords } from '@shared/text/seen-text.ts';
import type { Command } from '../../../text/command-context.ts';
import { jsonLine } from '../../../text/terminal.ts';
import { requireFolder } from '../../checks/require-folder.ts';

export type MemoryAction = 'list' | 'add' | 'forget';

export interface MemoryArguments {
  readonly project?: string;
  readonly everywhere?: boolean;
  readonly json?: boolean;
}

/** What agents know in later tasks. `words`: the new line, or the id of one. */
export const memory: Command<[MemoryAction, readonly string[], MemoryArguments]> = async (
  context,
  action,
  [word = ''],
  args,
) => {
  const { terminal } = context;
  const projectPath = resolve(args.project ?? '.');
  await requireFolder(projectPath);
  const core = await context.core();
  const of = args.everywhere === true ? 'you' : 'project';
  const { files, lines } = await {
    list: () => core.memory.list({ projectPath }),
    add: () => core.memory.add({ projectPath, text: word, of }),
    forget: () => core.memory.forget({ projectPath, id: word }),
  }[action]();
  if (args.json === true) terminal.out(jsonLine({ files, lines }));
  else for (const line of lines) terminal.out(`${lineText(line)}\n`);
  if (lines.length === 0)
    terminal.err(
      `Nothing is noted. Add a line: dewpoint memory add, or write ${seenName(files.project ?? files.you)}\n`,
    );
  return 0;
};

function lineText({ id, text, date, sessionId, isAfterOutside, of }: MemoryLine): string {
  const outside = isAfterOutside ? 'after text from outside' : null;
  const from = [of === 'you' ? 'every project' : 'this project', date, sessionId, outside].filter(
    (one) => one !== null,
  );
  return `${id}  ${seenWords(text)}  (${from.map(seenName).join(', ')})`;
}
