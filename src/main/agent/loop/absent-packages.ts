import type { Tool, ToolResult } from '../../tools/define.ts';
import type { Turn } from '../turn/turn.ts';

/** How programs say that a package or a command is not there. A path of the project is no package. */
const lacks =
  /No module named|Cannot find (?:module|package) '[^./']|ERR_MODULE_NOT_FOUND|(?:command not found|: not found)\s*$/mu;

/**
 * Which packages of the project are not installed, for a model whose command just lacked one. Said once, as long as the
 * conversation shows it: most tasks need none of them.
 */
export function absentPackages(
  { dependencies: { sandbox }, conversation }: Pick<Turn, 'dependencies' | 'conversation'>,
  { tool }: { readonly tool: Tool },
  { output, exitCode = null }: ToolResult,
): readonly string[] {
  const { absent = [] } = sandbox.description;
  if (absent.length === 0 || tool.access !== 'execute' || exitCode === 0 || !lacks.test(output)) return [];
  const shown = conversation
    .entries()
    .flatMap((entry) => (entry.type === 'assistant' ? entry.calls.map(({ result }) => result?.text ?? '') : []));
  return absent.map((text) => `[${text}]`).filter((text) => !shown.some((one) => one.includes(text)));
}
