import { resolve } from 'node:path';
import { AppError } from '@shared/errors.ts';
import { exitCodes } from '@shared/session/run-result.ts';
import type { BringImage, BroughtImage, ProjectImage } from '@shared/sandbox/sandbox-images.ts';
import { seenName } from '@shared/text/seen-text.ts';
import { quoteRows } from '../../text/quoted-rows.ts';
import { confirm } from '../questions/confirm.ts';
import type { Command, CommandContext } from '../../text/command-context.ts';
import { withoutResult } from '../../text/report-failure.ts';
import { jsonLine, oneLine } from '../../text/terminal.ts';
import { sizeText } from '@shared/text/size-text.ts';

export type ImageAction = 'import' | 'pull' | 'use';

export interface ImageArguments {
  /** Approves exactly what was shown before, when nobody can be asked. */
  readonly approval?: string;
  readonly json?: boolean;
}

/** Images of the sandbox: from a file, from a registry, or as a project defines it. */
export const sandboxImage: Command<[ImageAction, string | undefined, ImageArguments]> = async (
  context,
  action,
  word,
  args,
) => {
  if (action === 'use') return useProjectImage(context, resolve(word ?? '.'), args);
  const request: BringImage =
    action === 'import' ? { type: 'import', file: resolve(word ?? '') } : { type: 'pull', name: word ?? '' };
  const image = await bring(context, request);
  show(context, image, args);
  context.terminal.err(`To use it for all projects: dewpoint settings set sandbox.image ${seenName(image.name)}\n`);
  return 0;
};

/** Shows what the project defines, asks, and builds or pulls it. */
async function useProjectImage(context: CommandContext, projectPath: string, args: ImageArguments): Promise<number> {
  const { terminal } = context;
  const core = await context.core();
  const own = await core.projects.image({ projectPath }, { signal: context.signal });
  if (own === null) {
    throw new AppError(
      'not-found',
      `${projectPath} has no Dockerfile and no devcontainer.json, and needs no toolchain that Dewpoint's image lacks.`,
    );
  }
  terminal.err(`${seenName(own.path)} ${own.kind === 'image' ? 'asks for the image' : 'says'}:\n`);
  terminal.err(`${quoteRows(own.text.trimEnd(), terminal.columns)}\n`);
  if (own.kind === 'dockerfile') {
    terminal.err(
      'Your container engine runs these lines with full network access, but without the files of the project.\n',
    );
  }
  showBesides(own, context);
  terminal.err(`Approval ${own.approval}\n`);
  if (args.approval !== own.approval) {
    if (args.approval !== undefined)
      throw new AppError('conflict', 'The project asks for something else now. Nothing was done.');
    if (!terminal.isInteractive) {
      terminal.err('Nobody can answer here. To approve exactly this: --approval with the hash above.\n');
      return exitCodes['needs-approval'];
    }
    if (!(await confirm('Build this image, and run the commands of this project in it?', context))) {
      terminal.err('Nothing was done.\n');
      return exitCodes['needs-approval'];
    }
  }
  show(context, await bring(context, { type: 'project', projectPath, approval: own.approval }), args);
  return 0;
}

/** What else comes with the image: commands, variables, and what is left out. */
function showBesides({ setup, environment, leftOut }: ProjectImage, { terminal }: CommandContext): void {
  const list = (title: string, lines: readonly string[]): void => {
    if (lines.length === 0) return;
    terminal.err(`${title}\n`);
    for (const line of lines) terminal.err(`${quoteRows(line, terminal.columns)}\n`);
  };
  const commands = Object.entries(setup).map(([ecosystem, command]) => `${ecosystem}: ${command}`);
  list(
    'These commands install its packages (Dewpoint asks again before it runs them: dewpoint projects prepare):',
    commands,
  );
  const variables = Object.entries(environment).map(([name, value]) => `${name}=${value}`);
  list('Commands get these variables, unless you set them yourself:', variables);
  list('It also asks for these, and does not get them:', leftOut);
}

async function bring({ core, terminal, signal }: CommandContext, request: BringImage): Promise<BroughtImage> {
  for await (const progress of await (await core()).projects.bringImage(request, { signal })) {
    if (progress.type === 'ended') return progress.image;
    terminal.err(`${terminal.colors.dim(oneLine(progress.text, 200))}\n`);
  }
  throw withoutResult('The work on the image', 'Run it again to go on.', signal);
}

function show({ terminal }: CommandContext, image: BroughtImage, { json }: ImageArguments): void {
  if (json === true) terminal.out(jsonLine(image));
  else terminal.out(`${seenName(image.name)}  ${image.id.slice(0, 19)}  ${sizeText(image.sizeBytes)}\n`);
}
