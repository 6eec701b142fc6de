import type { Command } from 'commander';

/** The command as typed: `dewpoint sessions list`. */
function wordsOf(command: Command): string {
  return command.parent === null ? command.name() : `${wordsOf(command.parent)} ${command.name()}`;
}

/** A subcommand with an example in its help. */
export function subcommand(parent: Command, name: string, description: string, example: string): Command {
  const command = parent.command(name).description(description).allowExcessArguments(false);
  return command
    .showHelpAfterError(`(see: ${wordsOf(command)} --help)`)
    .addHelpText('after', `\nExample:\n  ${example}\n`);
}

/** An option that may be given several times. */
export function collect(value: string, before: readonly string[] | undefined): readonly string[] {
  return [...(before ?? []), value];
}
