import type { Command } from 'commander';
import type { ImageAction, ImageArguments } from '../commands/sandbox-image.command.ts';
import { subcommand } from './subcommand.ts';

/** `dewpoint sandbox image` and its subcommands. */
export function addSandbox(
  program: Command,
  run: (action: ImageAction, word: string | undefined, args: ImageArguments) => Promise<void>,
): void {
  const sandbox = subcommand(
    program,
    'sandbox',
    'manage the sandbox that commands run in',
    'dewpoint sandbox image use .',
  );
  const image = subcommand(
    sandbox,
    'image',
    'bring another image, or use the one of a project',
    'dewpoint sandbox image import image.tar',
  );
  subcommand(
    image,
    'import',
    'import an image from a file: a saved image, or a root file system',
    'dewpoint sandbox image import a.tar',
  )
    .argument('<file>', 'a tar archive')
    .option('--json', 'print JSON')
    .action((file: string, args: ImageArguments) => run('import', file, args));
  subcommand(
    image,
    'pull',
    'pull an image from its registry, best with its digest',
    'dewpoint sandbox image pull NAME@sha256:…',
  )
    .argument('<name>', 'the name of the image')
    .option('--json', 'print JSON')
    .action((name: string, args: ImageArguments) => run('pull', name, args));
  subcommand(
    image,
    'use',
    'build or pull the image that a project names; asks for your approval first',
    'dewpoint sandbox image use .',
  )
    .argument('[dir]', 'the project folder (default: the current folder)')
    .option('--approval <hash>', 'approve exactly this without a question')
    .option('--json', 'print JSON')
    .action((folder: string | undefined, args: ImageArguments) => run('use', folder, args));
}
