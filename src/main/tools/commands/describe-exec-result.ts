import type { ExecResult } from '../../sandbox/sandbox.ts';
import type { ToolResult } from '../define.ts';

/** How a command ended, and what it printed, for a model: the ending first, because the output may be long. */
export function describeExec(result: ExecResult, extra = ''): ToolResult {
  const text = [headline(result) + extra, result.stdout.trimEnd(), stderrPart(result)]
    .filter((part) => part !== '')
    .join('\n');
  return { status: statusOf(result), output: text, exitCode: result.exitCode };
}

function headline(result: ExecResult): string {
  switch (result.outcome) {
    case 'exited':
      return `exit code ${result.exitCode}`;
    case 'timed-out':
      return `killed: still running after ${Math.round(result.durationMs / 1000)} s`;
    case 'cancelled':
      return 'cancelled';
    case 'killed':
      return `killed (exit code ${result.exitCode ?? 'none'}) ${reasons[result.killedFor ?? 'signal']}`;
    case 'lost':
      return 'nobody knows how this ended: the sandbox was lost while it ran';
    default:
      return result.outcome satisfies never;
  }
}

const reasons = {
  memory: 'because it ran out of memory',
  output: 'because it printed too much',
  disk: 'because the disk is nearly full',
  signal: 'by a signal; the limit of memory was not reached',
} satisfies Record<NonNullable<ExecResult['killedFor']>, string>;

function stderrPart(result: ExecResult): string {
  const text = result.stderr.trimEnd();
  return text === '' ? '' : `stderr:\n${text}`;
}

function statusOf(result: ExecResult): ToolResult['status'] {
  if (result.outcome === 'timed-out') return 'timed-out';
  if (result.outcome === 'cancelled') return 'cancelled';
  if (result.outcome === 'lost') return 'unknown';
  return result.outcome === 'exited' ? 'ok' : 'error';
}
