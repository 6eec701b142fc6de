import type { ExecResult } from '../../sandbox/sandbox.ts';
import type { RecipeContext, WorldCommand } from '../define.ts';
import type { FileText } from './candidate-change.ts';
import { shellQuote } from '../../lib/programs/shell-quote.ts';
import { setupScript } from './trial-script.ts';

export interface CopyRun extends ExecResult {
  /** Absolute. Paths in the output are inside it. */
  readonly root: string;
}

/**
 * Runs a command in a fresh copy of the project with the given files, without input. The workspace and the judge's copy
 * are not touched. Null: there is no place for a copy.
 */
export async function runInCopy(
  { world }: Pick<RecipeContext, 'world'>,
  files: readonly FileText[],
  command: Pick<WorldCommand, 'command' | 'label' | 'env'> & { readonly limitSeconds: number },
): Promise<CopyRun | null> {
  if (world.scratchPath === null) return null;
  const { label, env = {}, limitSeconds } = command;
  const root = `${world.scratchPath}/once`;
  const script = [
    setupScript(world.workspacePath, { trial: root, workFolder: `${world.scratchPath}/once-work` }),
    `cd ${shellQuote(root)}`,
    ...files.flatMap(({ path, text }) => [
      `mkdir -p ${shellQuote(path.split('/').slice(0, -1).join('/') || '.')}`,
      `echo ${Buffer.from(world.bytesOf(path, text)).toString('base64')} | base64 -d > ${shellQuote(path)}`,
    ]),
    `timeout -k 1 ${limitSeconds} bash -c ${shellQuote(command.command)} < /dev/null`,
  ].join('\n');
  const timeoutMs = (limitSeconds + 30) * 1000;
  const ran = await world.run({ command: 'bash -s', label, stdin: script, env, timeoutMs });
  return { ...ran, root };
}
