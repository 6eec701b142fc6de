import type { Command } from 'commander';
import type { ProgramsAction, ProgramsArguments } from '../commands/programs.command.ts';
import { subcommand } from './subcommand.ts';

type Run = (action: ProgramsAction, words: readonly string[], args: ProgramsArguments) => Promise<void>;

/** `dewpoint programs` and its subcommands. */
export function addPrograms(program: Command, run: Run): void {
  const programs = subcommand(
    program,
    'programs',
    'see the programs of a session, and keep one as a tool of its project',
    'dewpoint programs show last',
  );
  subcommand(
    programs,
    'show',
    'show the programs of a session: plan, checks, calls, cost and end',
    'dewpoint programs show last 2',
  )
    .argument('<session>', aSession)
    .argument('[number]', 'all of one: its text, and how it differs from the one before')
    .option('--json', 'print JSON')
    .action((session: string, number: string | undefined, args: ProgramsArguments) =>
      run('show', number === undefined ? [session] : [session, number], args),
    );
  subcommand(
    programs,
    'keep',
    'keep a program as a tool of its project, or as the next version of one',
    'dewpoint programs keep last 2 add_up --about "Adds up the orders."',
  )
    .argument('<session>', aSession)
    .argument('<number>', 'which of its programs')
    .argument('[name]', 'lower-case letters, digits and underscores (default: the name that the model proposed)')
    .option('--about <text>', 'what it does; models choose it by that')
    .option('--yes', 'keep what is printed without asking')
    .action((session: string, number: string, name: string | undefined, args: ProgramsArguments) =>
      run('keep', name === undefined ? [session, number] : [session, number, name], args),
    );
  subcommand(programs, 'list', 'list the kept programs of a project', 'dewpoint programs list --project .')
    .option(...ofProject)
    .option('--json', 'print JSON')
    .action((args: ProgramsArguments) => run('list', [], args));
  for (const [action, about] of [
    ['diff', 'show how the versions of a kept program differ'],
    ['remove', 'delete a kept program and its versions'],
  ] as const)
    subcommand(programs, action, about, `dewpoint programs ${action} add_up --project .`)
      .argument('<name>', 'the name of a kept program')
      .option(...ofProject)
      .action((name: string, args: ProgramsArguments) => run(action, [name], args));
}

const aSession = 'a session: an id, the beginning of one, or last';
const ofProject = ['--project <project>', 'the project (default: the folder you are in)'] as const;
