import type { Command } from 'commander';
import type { RulesArguments } from '../commands/rules.command.ts';
import { subcommand } from './subcommand.ts';

export type RulesAction = 'list' | 'check' | 'test' | 'approve' | 'path';

/** `dewpoint rules` and its subcommands. */
export function addRules(
  program: Command,
  run: (action: RulesAction, word: string | undefined, args: RulesArguments) => Promise<void>,
): void {
  const rules = subcommand(
    program,
    'rules',
    'check your rules: what may leave this machine, and where steps run',
    'dewpoint rules list',
  );
  const project = ['--project <project>', 'include the rules of this project'] as const;
  subcommand(rules, 'list', 'list rules in order, and which of them apply', 'dewpoint rules list --project .')
    .option(...project)
    .option('--json', 'print JSON')
    .action((args: RulesArguments) => run('list', undefined, args));
  subcommand(rules, 'check', 'find lines that are wrong or contradict others', 'dewpoint rules check my.rules')
    .argument('[file]', 'a file with rules (default: your rules files)')
    .option(...project)
    .option('--json', 'print JSON')
    .action((file: string | undefined, args: RulesArguments) => run('check', file, args));
  subcommand(
    rules,
    'test',
    'test what the rules say about a file or task',
    'dewpoint rules test plans/a.md --project .',
  )
    .argument('[path]', 'a file, relative to the project')
    .option('--task <text>', 'the text of a task')
    .option('--purpose <name>', 'the kind of a step: act, plan, summarize, … (default: act)')
    .option(...project)
    .option('--json', 'print JSON')
    .action((path: string | undefined, args: RulesArguments) => run('test', path, args));
  subcommand(rules, 'approve', 'approve the rules of a project as written', 'dewpoint rules approve HASH --project .')
    .argument('<hash>', 'the hash that `rules list` prints; approves exactly that text')
    .option(...project)
    .action((hash: string, args: RulesArguments) => run('approve', hash, args));
  subcommand(rules, 'path', 'print the paths of the rules files', 'dewpoint rules path --project .')
    .option(...project)
    .action((args: RulesArguments) => run('path', undefined, args));
}
