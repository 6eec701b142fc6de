import type { Command } from 'commander';
import type { AssistantsAction, AssistantsArguments } from '../commands/assistants.command.ts';
import { subcommand } from './subcommand.ts';

type Run = (action: AssistantsAction, words: readonly string[], args: AssistantsArguments) => Promise<void>;

/** `dewpoint assistants` and its subcommands. */
export function addAssistants(program: Command, run: Run): void {
  const assistants = subcommand(
    program,
    'assistants',
    'manage assistants: a text, a model and a way to answer, under a name',
    'dewpoint assistants list',
  );
  subcommand(assistants, 'list', 'list your assistants', 'dewpoint assistants list')
    .option('--json', 'print JSON')
    .action((args: AssistantsArguments) => run('list', [], args));
  subcommand(assistants, 'show', 'print the file of an assistant', 'dewpoint assistants show reviewer')
    .argument('<name>', 'the name of an assistant')
    .action((name: string) => run('show', [name], {}));
  subcommand(
    assistants,
    'import',
    'add an assistant from a file, after checking all of it',
    'dewpoint assistants import reviewer.md',
  )
    .argument('<file>', 'a Markdown file')
    .option('--name <name>', 'its name here (default: that of the file)')
    .option('--replace', 'also where there is one of this name')
    .option('--json', 'print JSON')
    .action((file: string, args: AssistantsArguments) => run('import', [file], args));
  subcommand(
    assistants,
    'export',
    'write an assistant to a file, to share it',
    'dewpoint assistants export reviewer reviewer.md',
  )
    .argument('<name>', 'the name of an assistant')
    .argument('<file>', 'the file to write')
    .action((name: string, file: string) => run('export', [name, file], {}));
  subcommand(assistants, 'remove', 'delete an assistant', 'dewpoint assistants remove reviewer')
    .argument('<name>', 'the name of an assistant')
    .action((name: string) => run('remove', [name], {}));
}
