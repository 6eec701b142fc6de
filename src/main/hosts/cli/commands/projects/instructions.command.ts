import type { InstructionFile } from '@shared/safety/instruction-files.ts';
import { exitCodes } from '@shared/session/run-result.ts';
import { seenName, seenWords } from '@shared/text/seen-text.ts';
import { quoteRows } from '../../../text/quoted-rows.ts';
import { confirm } from '../../questions/confirm.ts';
import type { Command, CommandContext } from '../../../text/command-context.ts';
import { usageError } from '../../../text/report-failure.ts';
import { requireFolder } from '../../checks/require-folder.ts';
import { jsonLine } from '../../../text/terminal.ts';
import { folderOfWord } from './named-project.ts';

export type InstructionsAction = 'list' | 'show' | 'approve' | 'forget';

export interface InstructionsArguments {
  readonly json?: boolean;
  readonly file?: string;
  readonly sha256?: string;
}

/** The instructions of a project: lists them, shows them, and approves them. */
export const instructions: Command<[InstructionsAction, string | undefined, InstructionsArguments]> = async (
  context,
  action,
  folder,
  args,
) => {
  const { terminal } = context;
  const projectPath = await folderOfWord(context.core, folder ?? '.');
  const core = await context.core();
  if (action === 'forget') {
    const gone = await core.projects.forgetInstructions({ projectPath, path: args.file ?? null });
    if (args.json === true) terminal.out(jsonLine(gone));
    else
      terminal.err(
        gone.length === 0
          ? 'No instructions were approved.\n'
          : `No longer followed: ${gone.map(seenName).join(', ')}\n`,
      );
    return 0;
  }
  await requireFolder(projectPath);
  const all = await core.projects.instructions({ projectPath });
  const chosen = all.filter(({ path }) => args.file === undefined || path === args.file);
  if (args.file !== undefined && chosen.length === 0)
    throw usageError(
      `${args.file} is not an instructions file of this project.`,
      'Run `dewpoint projects instructions list` to see them.',
    );
  if (action === 'approve') return approve(context, { projectPath, files: chosen, args });
  if (args.json === true) terminal.out(jsonLine(chosen));
  else if (chosen.length === 0) terminal.err(none);
  else
    for (const file of chosen)
      terminal.out(action === 'show' ? wholeText(file, terminal.columns) : `${stateLine(file)}\n`);
  return 0;
};

async function approve(
  context: CommandContext,
  {
    projectPath,
    files,
    args,
  }: {
    readonly projectPath: string;
    readonly files: readonly InstructionFile[];
    readonly args: InstructionsArguments;
  },
): Promise<number> {
  const { terminal } = context;
  const core = await context.core();
  const open = files.filter(({ state }) => state !== 'approved');
  let left = 0;
  for (const { path, sha256, ...file } of open) {
    if (sha256 === null) {
      terminal.err(`${seenName(path)}: ${seenWords(file.problem ?? 'cannot be shown')}, so it cannot be approved.\n`);
      left += 1;
    } else if (
      args.sha256 === undefined ? await isWanted(context, { ...file, path, sha256 }) : args.sha256 === sha256
    ) {
      await core.projects.approveInstructions({ projectPath, path, sha256 });
    } else left += 1;
  }
  const now = await core.projects.instructions({ projectPath });
  if (args.json === true) terminal.out(jsonLine(now));
  else if (now.length === 0) terminal.err(none);
  else for (const file of now) terminal.err(`${stateLine(file)}\n`);
  return left === 0 ? 0 : exitCodes['needs-approval'];
}

async function isWanted(context: CommandContext, file: InstructionFile): Promise<boolean> {
  context.terminal.err(wholeText(file, context.terminal.columns));
  if (context.terminal.isInteractive) return confirm('Let agents follow exactly this?', context);
  context.terminal.err(`Nobody can answer here. To approve exactly this: --sha256 ${file.sha256 ?? ''}\n`);
  return false;
}

const none = 'This project has no instructions for agents.\n';

const sentences = {
  approved: 'followed: you approved exactly this text',
  new: 'not followed: it needs your approval',
  changed: 'not followed: it changed since your approval',
  unfit: 'not followed',
} as const;

function stateLine({ path, state, sha256, problem }: InstructionFile): string {
  const why = problem === null ? '' : ` (${seenWords(problem)})`;
  return `${seenName(path)}  ${sentences[state]}${why}${sha256 === null ? '' : `  ${sha256}`}`;
}

function wholeText(file: InstructionFile, columns: number): string {
  const changed =
    file.diff === null ? '' : `changes since you approved it:\n${quoteRows(file.diff, columns, '  ~ ')}\n`;
  return `${stateLine(file)}\n${file.text === null ? '' : `${quoteRows(file.text, columns)}\n`}${changed}`;
}
