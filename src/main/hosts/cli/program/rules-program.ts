import type { Command } from 'commander';
import type { RulesArguments } from '../commands/rules.command.ts';

export type RulesAction = 'list' | 'check' | 'test' | 'approve' | 'path';

/** `dewpoint rules`, with all its words. `add` makes a subcommand with its example. */
export function addRules(
  program: Command,
  add: (parent: Command, name: string, description: string, example: string) => Command,
  run: (action: RulesAction, word: string | undefined, args: RulesArguments) => Promise<void>,
): void {
  const rules = add(program, 'rules', 'what may leave this machine, and where steps run', 'dewpoint rules list');
  const project = ['--project <dir>', "also that project's rules"] as const;
  add(rules, 'list', 'the rules in their order, and what of them holds', 'dewpoint rules list --project .')
    .option(...project)
    .option('--json', 'as JSON')
    .action((args: RulesArguments) => run('list', undefined, args));
  add(rules, 'check', 'which lines are no rules or contradict others', 'dewpoint rules check my.rules')
    .argument('[file]', 'a file to be read as rules (default: those that there are)')
    .option(...project)
    .option('--json', 'as JSON')
    .action((file: string | undefined, args: RulesArguments) => run('check', file, args));
  add(rules, 'test', 'what they say of a file and a task', 'dewpoint rules test plans/a.md --project .')
    .argument('[path]', 'a file, relative to the project')
    .option('--task <text>', 'the words of a task')
    .option('--purpose <name>', 'the kind of a step: act, plan, summarise, … (default: act)')
    .option(...project)
    .option('--json', 'as JSON')
    .action((path: string | undefined, args: RulesArguments) => run('test', path, args));
  add(rules, 'approve', 'let the rules of a project hold as written', 'dewpoint rules approve HASH --project .')
    .argument('<hash>', 'as `rules list` prints it: exactly these bytes are approved')
    .option(...project)
    .action((hash: string, args: RulesArguments) => run('approve', hash, args));
  add(rules, 'path', 'where the files lie', 'dewpoint rules path --project .')
    .option(...project)
    .action((args: RulesArguments) => run('path', undefined, args));
}
