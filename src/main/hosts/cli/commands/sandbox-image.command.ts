import { resolve } from 'node:path';
import { AppError } from '@shared/errors.ts';
import { exitCodes } from '@shared/session/run-result.ts';
import type { BringImage, BroughtImage, ProjectImage } from '@shared/sandbox/sandbox-images.ts';
import { seenName } from '@shared/text/seen-text.ts';
import { quoteRows } from '../terminal/quoted-rows.ts';
import { confirm } from '../questions/confirm.ts';
import type { Command, CommandContext } from '../command-context.ts';
import { jsonLine, oneLine } from '../terminal/terminal.ts';
import { sizeText } from '@shared/text/size-text.ts';

export type ImageAction = 'import' | 'pull' | 'use';

export interface ImageArguments {
  /** What was looked at before, where nobody can be asked: says yes to exactly that. */
  readonly approval?: string;
  readonly json?: boolean;
}

/** Images of the sandbox: out of a file, from a registry, or as a project wants it. */
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

/** Shows what the project says, asks, and builds or fetches it. */
async function useProjectImage(context: CommandContext, projectPath: string, args: ImageArguments): Promise<number> {
  const { terminal } = context;
  const core = await context.core();
  const own = await core.projects.image({ projectPath }, { signal: context.signal });
  if (own === null) {
    throw new AppError('not-found', `${projectPath} brings no image along: no Dockerfile and no devcontainer.json.`);
  }
  terminal.err(`${seenName(own.path)} says${own.kind === 'image' ? ' to fetch the image' : ''}:\n`);
  terminal.err(`${quoteRows(own.text.trimEnd(), terminal.columns)}\n`);
  if (own.kind === 'dockerfile') {
    terminal.err(
      'Its lines are run by your container engine with a network to everywhere, and are given nothing of the project.\n',
    );
  }
  showBesides(own, context);
  terminal.err(`Approval ${own.approval}\n`);
  if (args.approval !== own.approval) {
    if (args.approval !== undefined) throw new AppError('conflict', 'That is not what the project says now.');
    if (!terminal.isInteractive) {
      terminal.err('Nobody can be asked here. To say yes to exactly this: --approval with the number above.\n');
      return exitCodes['needs-approval'];
    }
    if (!(await confirm('Make this image, and run the commands of this project in it?', context))) {
      terminal.err('Nothing was done.\n');
      return exitCodes['needs-approval'];
    }
  }
  show(context, await bring(context, { type: 'project', projectPath, approval: own.approval }), args);
  return 0;
}

/** What comes with the image: commands, variables, and what is not done. */
function showBesides({ setup, environment, leftOut }: ProjectImage, { terminal }: CommandContext): void {
  const list = (title: string, lines: readonly string[]): void => {
    if (lines.length === 0) return;
    terminal.err(`${title}\n`);
    for (const line of lines) terminal.err(`${quoteRows(line, terminal.columns)}\n`);
  };
  const commands = Object.entries(setup).map(([ecosystem, command]) => `${ecosystem}: ${command}`);
  list('Its packages are installed by (you are asked again before they are: dewpoint projects prepare):', commands);
  const variables = Object.entries(environment).map(([name, value]) => `${name}=${value}`);
  list('Its commands get these variables, where you have set none of that name:', variables);
  list('What it asks for besides, and does not get:', leftOut);
}

async function bring({ core, terminal, signal }: CommandContext, request: BringImage): Promise<BroughtImage> {
  for await (const progress of await (await core()).projects.bringImage(request, { signal })) {
    if (progress.type === 'ended') return progress.image;
    terminal.err(`${terminal.colors.dim(oneLine(progress.text, 200))}\n`);
  }
  throw new AppError('internal', 'It ended without a word.');
}

function show({ terminal }: CommandContext, image: BroughtImage, { json }: ImageArguments): void {
  if (json === true) terminal.out(jsonLine(image));
  else terminal.out(`${seenName(image.name)}  ${image.id.slice(0, 19)}  ${sizeText(image.sizeBytes)}\n`);
}
