import type { Command } from 'commander';
import type { BudgetAction, BudgetArguments } from '../commands/budget.command.ts';
import type { CostsArguments } from '../commands/costs.command.ts';
import { subcommand } from './subcommand.ts';

type Handler = (action: BudgetAction, words: readonly string[], args: BudgetArguments) => Promise<void>;

/** `dewpoint budget` and what is under it. */
export function addBudget(program: Command, handle: Handler): void {
  const budget = subcommand(program, 'budget', 'manage spending limits', 'dewpoint budget set month 20');
  subcommand(budget, 'show', 'show each spending limit, and what is left of it', 'dewpoint budget show --project .')
    .option('--project <dir>', "include this project's spending and its own limit")
    .option('--json', 'print JSON')
    .action((args: BudgetArguments) => handle('show', [], args));
  for (const [action, what] of [
    ['set', 'set a spending limit; "none" removes it'],
    ['raise', 'raise a spending limit by an amount'],
    ['lower', 'lower a spending limit by an amount'],
  ] as const) {
    subcommand(budget, action, what, `dewpoint budget ${action} project 5 --project .`)
      .argument('<limit>', 'step, task, session, project, day or month')
      .argument('<dollars>', action === 'set' ? 'US dollars, or none' : 'US dollars')
      .option('--project <dir>', 'for the limit "project": set it for this one alone')
      .option('--json', 'print JSON')
      .action((cap: string, dollars: string, args: BudgetArguments) => handle(action, [cap, dollars], args));
  }
}

export function addCosts(program: Command, handle: (args: CostsArguments) => Promise<void>): void {
  subcommand(program, 'costs', 'show what was spent', 'dewpoint costs --by model --since 2026-11-01')
    .option('--by <what>', 'group by day, model, project or session (default: day)')
    .option('--since <date>', 'the first day to include')
    .option('--project <dir>', 'only this project')
    .option('--steps <session>', 'show each step of a session, and its cost in the other place')
    .option('--csv', 'print a table for spreadsheets')
    .option('--json', 'print JSON')
    .action((args: CostsArguments) => handle(args));
}
