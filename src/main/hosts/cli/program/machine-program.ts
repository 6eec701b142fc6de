import type { Command } from 'commander';
import type { ImageAction, ImageArguments } from '../commands/sandbox-image.command.ts';

/** `dewpoint sandbox image`, with all its words. `add` makes a subcommand with its example. */
export function addSandbox(
  program: Command,
  add: (parent: Command, name: string, description: string, example: string) => Command,
  run: (action: ImageAction, word: string | undefined, args: ImageArguments) => Promise<void>,
): void {
  const sandbox = add(program, 'sandbox', 'where commands run', 'dewpoint sandbox image use .');
  const image = add(sandbox, 'image', 'other images than its own', 'dewpoint sandbox image import image.tar');
  add(
    image,
    'import',
    'out of a file: a saved image, or the root of a file system',
    'dewpoint sandbox image import a.tar',
  )
    .argument('<file>', 'a tar archive')
    .option('--json', 'as JSON')
    .action((file: string, args: ImageArguments) => run('import', file, args));
  add(image, 'pull', 'from its registry; best with its digest', 'dewpoint sandbox image pull NAME@sha256:…')
    .argument('<name>', 'its name')
    .option('--json', 'as JSON')
    .action((name: string, args: ImageArguments) => run('pull', name, args));
  add(image, 'use', 'what a project wants to be worked on in: shows it, asks, makes it', 'dewpoint sandbox image use .')
    .argument('[dir]', 'the folder of the project (default: this one)')
    .option('--approval <hash>', 'where nobody can be asked: yes to exactly this')
    .option('--json', 'as JSON')
    .action((folder: string | undefined, args: ImageArguments) => run('use', folder, args));
}
