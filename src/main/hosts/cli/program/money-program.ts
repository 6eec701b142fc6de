import type { Command } from 'commander';
import type { BudgetAction, BudgetArguments } from '../commands/budget.command.ts';

type Subcommand = (parent: Command, name: string, description: string, example: string) => Command;
type Handler = (action: BudgetAction, words: readonly string[], args: BudgetArguments) => Promise<void>;

/** `dewpoint budget` and what is under it. */
export function addBudget(program: Command, subcommand: Subcommand, handle: Handler): void {
  const budget = subcommand(
    program,
    'budget',
    'caps on money, and how far they are used',
    'dewpoint budget set month 20',
  );
  subcommand(budget, 'show', 'every cap, and what is left of it', 'dewpoint budget show --project .')
    .option('--project <dir>', 'with what this project has spent, and its own cap')
    .option('--json', 'as JSON')
    .action((args: BudgetArguments) => handle('show', [], args));
  for (const [action, what] of [
    ['set', 'sets a cap; "none" takes it away'],
    ['raise', 'raises a cap by so many dollars'],
    ['lower', 'lowers a cap by so many dollars'],
  ] as const) {
    subcommand(budget, action, what, `dewpoint budget ${action} project 5 --project .`)
      .argument('<cap>', 'step, task, session, project, day or month')
      .argument('<dollars>', action === 'set' ? 'US dollars, or none' : 'US dollars')
      .option('--project <dir>', 'of the cap "project": for this one alone')
      .option('--json', 'as JSON')
      .action((cap: string, dollars: string, args: BudgetArguments) => handle(action, [cap, dollars], args));
  }
}
