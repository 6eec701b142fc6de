import type { Command } from 'commander';
import type { CapsuleAction, CapsuleArguments } from '../commands/sessions/capsule.command.ts';
import { runFlags } from './run-flags.ts';
import { collect, subcommand } from './subcommand.ts';

export type RunCapsule = (action: CapsuleAction, words: readonly string[], args: CapsuleArguments) => Promise<void>;

/** `dewpoint capsule` and its subcommands. */
export function addCapsule(program: Command, run: RunCapsule): void {
  const capsule = subcommand(
    program,
    'capsule',
    'put a task into one file, so that anybody can repeat it',
    'dewpoint capsule make last date-test.capsule',
  );
  subcommand(
    capsule,
    'make',
    'write a session and its first files into one file; shows what it will hold, and asks',
    'dewpoint capsule make last date-test.capsule --without "data/**"',
  )
    .argument('<session>', 'a session id, the beginning of one, or last')
    .argument('[file]', 'the file to write (default: the id of the session)')
    .option('--without <glob>', 'files that stay out; repeatable', collect)
    .option('--yes', 'write it without asking')
    .option('--json', 'print JSON')
    .action((session: string, file: string | undefined, args: CapsuleArguments) =>
      run('make', file === undefined ? [session] : [session, file], args),
    );
  subcommand(
    capsule,
    'check',
    'unpack and replay a capsule without a model, and compare all hashes; leaves nothing behind',
    'dewpoint capsule check date-test.capsule',
  )
    .argument('<file>', 'a capsule')
    .option('--json', 'print JSON')
    .action((file: string, args: CapsuleArguments) => run('check', [file], args));
  const again = subcommand(
    capsule,
    'run',
    'do the task of a capsule anew, in a new folder with its first files',
    'dewpoint capsule run date-test.capsule --into date-test',
  )
    .argument('<file>', 'a capsule')
    .option('--into <dir>', 'the new folder (default: the name of the file, without its ending)');
  for (const name of ['policy', 'local', 'cloud', 'maxUsd', 'approve'] as const) {
    const [flag, about] = runFlags[name];
    again.option(flag, about);
  }
  again
    .option('--json', "print the session's events as JSON, one per line")
    .action((file: string, args: CapsuleArguments) => run('run', [file], args));
}
