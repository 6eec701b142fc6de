import type { Tool, ToolResult } from '../../tools/define.ts';
import type { RecordedChange } from '../changes/file-changes.ts';
import type { Turn } from '../turn/turn.ts';

/** What is known of a command whose end is unknown. */
export function changedText(changed: readonly RecordedChange[], isOwed: boolean): string {
  if (isOwed) return 'What it changed cannot be seen while the sandbox is away; it is noted with the next command.';
  if (changed.length === 0) return 'No file is different from before it.';
  const shown = changed.slice(0, 50).map(({ path }) => path);
  const more = changed.length > shown.length ? ` and ${changed.length - shown.length} more` : '';
  return `Different from before it: ${shown.join(', ')}${more}.`;
}

interface RanCall {
  readonly tool: Tool;
  /** What was changed in the arguments. */
  readonly corrections?: readonly string[];
}

/** Says what was changed in the arguments, and contradicts a write tool that reports success without a change. */
export function afterNotes(turn: Turn, run: RanCall, result: ToolResult, before: number): readonly string[] {
  const corrected = [...(run.corrections ?? []).map((text) => `[${text}]`), ...absentPackages(turn, run, result)];
  if (run.tool.access !== 'write' || result.status !== 'ok') return corrected;
  return turn.files.changes.writes() > before ? corrected : [...corrected, '(No file was changed by this call.)'];
}

/** How programs say that a package or a command is not there. A path of the project is no package. */
const lacks =
  /No module named|Cannot find (?:module|package) '[^./']|ERR_MODULE_NOT_FOUND|(?:command not found|: not found)\s*$/mu;

/**
 * Which packages of the project are not installed, for a model whose command just lacked one. Said once, as long as the
 * conversation shows it: most tasks need none of them.
 */
function absentPackages(
  { dependencies: { sandbox }, prompt: { conversation } }: Pick<Turn, 'dependencies' | 'prompt'>,
  { tool }: RanCall,
  { output, exitCode = null }: ToolResult,
): readonly string[] {
  const { absent = [] } = sandbox.description;
  if (absent.length === 0 || tool.access !== 'execute' || exitCode === 0 || !lacks.test(output)) return [];
  const shown = conversation
    .entries()
    .flatMap((entry) => (entry.type === 'assistant' ? entry.calls.map(({ result }) => result?.text ?? '') : []));
  return absent.map((text) => `[${text}]`).filter((text) => !shown.some((one) => one.includes(text)));
}
