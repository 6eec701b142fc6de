import { seenLineText } from '@shared/text/seen-text.ts';
import type { Command } from '../../../text/command-context.ts';
import { jsonLine } from '../../../text/terminal.ts';
import { folderOfWord } from './named-project.ts';

export interface MapArguments {
  readonly about?: string;
  readonly tokens?: number;
  readonly json?: boolean;
}

/** Prints the map of a project, as an agent gets it. */
export const mapProject: Command<[string | undefined, MapArguments]> = async (context, folder, args) => {
  const { core, signal, terminal } = context;
  const { about = '', tokens } = args;
  const request = {
    projectPath: await folderOfWord(context.core, folder ?? '.'),
    about,
    ...(tokens === undefined ? {} : { tokens }),
  };
  const map = await (await core()).projects.map(request, { signal });
  if (args.json === true) {
    terminal.out(jsonLine(map));
    return 0;
  }
  const { files, definitions } = map.all;
  if (map.isCut)
    terminal.err(
      `Only ${files} files with code were read, the upper folders first: the project has more. To see others, name a folder of it.\n`,
    );
  if (map.text === '') {
    terminal.err(
      definitions === 0
        ? 'No names were found here: Dewpoint knows no language of its files.\n'
        : `None of the ${definitions} names here is used in another place. Say what you look for: --about WORDS\n`,
    );
    return 0;
  }
  for (const line of map.text.split('\n')) terminal.out(`${seenLineText(line)}\n`);
  terminal.err(`${map.definitions} of ${definitions} names, from ${map.files} of ${files} files.\n`);
  return 0;
};
