import { Command } from 'commander';
import { withUsualNames } from './usual-names.ts';

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

/** Whether the words name a subcommand that does not exist. */
function leadsNowhere(command: Command, [word, ...rest]: readonly string[]): boolean {
  if (word === undefined || word === 'help') return false;
  if (command.commands.length === 0 || command.registeredArguments.length > 0) return false;
  const next = command.commands.find((one) => one.name() === word || one.aliases().includes(word));
  return next === undefined || leadsNowhere(next, rest);
}

/**
 * A command that takes no option for the value of the one before it: `--bundle --log` is an error and writes no file
 * `--log`. Such a value is still possible as `--bundle=--log`, or behind `--`.
 */
export class StrictCommand extends Command {
  override createCommand(name?: string): StrictCommand {
    return new StrictCommand(name);
  }

  override parseOptions(args: string[]): ReturnType<Command['parseOptions']> {
    const end = args.indexOf('--');
    const words = end === -1 ? args : args.slice(0, end);
    for (let at = 0; at < words.length; at += 1) {
      const option = this.options.find(({ long, short }) => words[at] === long || words[at] === short);
      const value = words[at + 1];
      if (option?.required !== true || value === undefined) continue;
      if (this.#isOption(value))
        this.error(
          `error: option '${option.flags}' needs a value, and ${value} is an option (to mean it: ${words[at] ?? ''}=${value})`,
          { exitCode: 2 },
        );
      at += 1;
    }
    const parsed = super.parseOptions(args);
    // With `--help`, Commander prints the help of the parent command and exits with 0. Without it, Commander names the
    // unknown word.
    if (this.parent !== null || !leadsNowhere(this, parsed.operands)) return parsed;
    return { ...parsed, unknown: parsed.unknown.filter((word) => word !== '--help' && word !== '-h') };
  }

  override error(message: string, options?: Parameters<Command['error']>[1]): never {
    const known = {
      options: this.options.flatMap(({ long }) => (long === undefined ? [] : [long])),
      commands: this.commands.map((command) => command.name()),
    };
    return super.error(withUsualNames(message, known), options);
  }

  #isOption(word: string): boolean {
    return /^--[a-z]/iu.test(word) || ['-h', ...this.options.map(({ short }) => short)].includes(word);
  }
}
