import type { Command } from 'commander';
import type { InstructionsAction, InstructionsArguments } from '../commands/projects/instructions.command.ts';
import type { ProjectListAction } from '../commands/projects/project-list.command.ts';
import type { PrepareArguments } from '../commands/projects/prepare-project.command.ts';
import type { RulesArguments } from '../commands/rules.command.ts';
import type { RulesAction } from './rules-program.ts';

export interface ProjectHandlers {
  rules(action: RulesAction, word: string | undefined, args: RulesArguments): Promise<void>;
  projectList(action: ProjectListAction, folder: string | undefined, args: { readonly json?: boolean }): Promise<void>;
  prepareProject(folder: string | undefined, args: PrepareArguments): Promise<void>;
  instructions(action: InstructionsAction, folder: string | undefined, args: InstructionsArguments): Promise<void>;
}

/** `dewpoint projects`, with all its words. `add` makes a subcommand with its example. */
export function addProjects(
  program: Command,
  add: (parent: Command, name: string, description: string, example: string) => Command,
  handlers: ProjectHandlers,
): void {
  const projects = add(
    program,
    'projects',
    'the folders that are worked on, and what they need',
    'dewpoint projects list',
  );
  addList(projects, add, handlers);
  const collect = (value: string, before: readonly string[] = []): readonly string[] => [...before, value];
  add(
    projects,
    'prepare',
    "install a project's packages for the sandbox: shows the commands, asks, runs them in a container of their own",
    'dewpoint projects prepare .',
  )
    .argument('[dir]', 'the folder of the project (default: this one)')
    .option('--yes', 'say yes beforehand')
    .option('--anew', 'also what is installed, where commands of a session have changed it since')
    .option('--host <name>', 'a host that packages may come from beside those found; repeat it for several', collect)
    .option('--json', 'how it stands, as JSON')
    .action((folder: string | undefined, args: PrepareArguments) => handlers.prepareProject(folder, args));
  const example = 'dewpoint projects instructions approve .';
  const instructions = add(projects, 'instructions', 'files like AGENTS.md that a project brings along', example);
  const words = {
    list: 'those of a project, and which of them agents follow',
    show: 'what they say, with what cannot be seen made visible, and what changed since they were approved',
    approve: 'shows them and asks; a yes is to these very bytes',
    forget: 'take a yes back',
  } as const;
  for (const action of ['list', 'show', 'approve', 'forget'] as const) {
    const one = add(instructions, action, words[action], `dewpoint projects instructions ${action} .`)
      .argument('[dir]', 'the folder of the project (default: this one)')
      .option('--json', 'as JSON');
    if (action !== 'list') one.option('--file <path>', 'this file alone');
    if (action === 'approve') one.option('--sha256 <hash>', 'where nobody can be asked: yes to exactly these bytes');
    one.action((folder: string | undefined, args: InstructionsArguments) =>
      handlers.instructions(action, folder, args),
    );
  }
}

/** Which there are. */
function addList(projects: Command, add: Parameters<typeof addProjects>[1], handlers: ProjectHandlers): void {
  const folder = ['[dir]', 'the folder of the project (default: this one)'] as const;
  add(projects, 'list', 'a line each, the latest first', 'dewpoint projects list')
    .option('--json', 'as JSON')
    .action((args: { readonly json?: boolean }) => handlers.projectList('list', undefined, args));
  add(projects, 'add', 'put a folder on the list', 'dewpoint projects add .')
    .argument(...folder)
    .action((dir: string | undefined) => handlers.projectList('add', dir, {}));
  add(projects, 'remove', 'take one off the list; nothing of it is deleted', 'dewpoint projects remove .')
    .argument(...folder)
    .action((dir: string | undefined) => handlers.projectList('remove', dir, {}));
  add(projects, 'rules', 'the rules that hold in one, as `dewpoint rules` shows them', 'dewpoint projects rules .')
    .argument(...folder)
    .option('--json', 'as JSON')
    .action((dir: string | undefined, args: { readonly json?: boolean }) =>
      handlers.rules('list', undefined, { ...args, project: dir ?? '.' }),
    );
}
