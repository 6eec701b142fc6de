import { basename, resolve } from 'node:path';
import { AppError } from '@shared/errors.ts';
import type { Assistant } from '@shared/session/assistants.ts';
import { assistantFacts, mostAssistantCharacters } from '@shared/session/assistants.ts';
import { printable, seenName, seenWords } from '@shared/text/seen-text.ts';
import { isMissing } from '../../../lib/files/json-file.ts';
import type { Command } from '../../text/command-context.ts';
import { padRight } from '../../text/columns.ts';
import { writeOutputFile } from '../terminal/output-file.ts';
import { jsonLine, oneLine } from '../../text/terminal.ts';
import { readFile, stat } from '../../../lib/files/drive-calls.ts';

export type AssistantsAction = 'list' | 'show' | 'import' | 'export' | 'remove';

export interface AssistantsArguments {
  readonly name?: string;
  readonly replace?: boolean;
  readonly json?: boolean;
}

/** The user's assistants. `words`: a name or the file to import, then the file to export to. */
export const assistants: Command<[AssistantsAction, readonly string[], AssistantsArguments]> = async (
  context,
  action,
  [first = '', second = ''],
  args,
) => {
  const { terminal } = context;
  const core = await context.core();
  switch (action) {
    case 'list': {
      const { folder, assistants: all, broken } = await core.assistants.list();
      if (args.json === true) terminal.out(jsonLine({ assistants: all, broken }));
      else for (const one of all) terminal.out(`${lineOf(one)}\n`);
      for (const { name, why } of broken) terminal.err(`${seenName(name)}.md cannot be used. ${seenName(why)}\n`);
      if (all.length === 0) terminal.err(`No assistants yet. Write one: ${seenName(folder)}/NAME.md\n`);
      return 0;
    }
    case 'show':
      terminal.out(`${printable((await core.assistants.show({ name: first })).text).trimEnd()}\n`);
      return 0;
    case 'import': {
      const name = args.name ?? basename(first).replace(/\.md$/u, '').toLowerCase();
      const text = await readAssistantFile(resolve(first));
      const saved = await core.assistants.save({ name, text, replace: args.replace === true });
      terminal.out(args.json === true ? jsonLine(saved) : `${lineOf(saved)}\n`);
      terminal.err(`Read its text before you use it: dewpoint assistants show ${name}\n`);
      return 0;
    }
    case 'export':
      await writeOutputFile(resolve(second), (await core.assistants.show({ name: first })).text);
      return 0;
    case 'remove':
      await core.assistants.show({ name: first });
      await core.assistants.remove({ name: first });
      return 0;
    default:
      return action satisfies never;
  }
};

function lineOf(assistant: Assistant): string {
  const facts = assistantFacts(assistant).map(seenName).join(', ');
  return `${padRight(assistant.name, 16)}  ${facts === '' ? '' : `${facts}  `}${oneLine(seenWords(assistant.about ?? assistant.text), 60)}`;
}

async function readAssistantFile(path: string): Promise<string> {
  try {
    const found = await stat(path);
    if (found.isDirectory()) throw new AppError('bad-input', `${path} is a folder, not a file.`);
    if (found.size > mostAssistantCharacters * 5)
      throw new AppError('too-large', `${path} is too large to be an assistant.`);
    return await readFile(path, 'utf8');
  } catch (error) {
    if (isMissing(error)) throw new AppError('not-found', `${path} was not found.`);
    throw error;
  }
}
