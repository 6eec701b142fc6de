import { sleep } from '../../lib/async/abort.ts';
import type { BackgroundProcessOutput } from '../../sandbox/sandbox.ts';
import type { ToolContext, ToolResult } from '../define.ts';
import { failureResult } from '../values/tool-results.ts';

export const noServices: ToolResult = { status: 'refused', output: 'Nothing can go on in the background here.' };

/** Time in which a failing command has usually ended, and a server has printed its address. */
const firstLookMs = 2_000;

/** Starts a command in the background, and reports how it began. */
export async function startService(command: string, { sandbox, signal }: ToolContext): Promise<ToolResult> {
  const { backgroundProcesses } = sandbox;
  if (backgroundProcesses === null) return noServices;
  const started = await backgroundProcesses.start({ command }, signal);
  if (!started.ok) return failureResult(started.error);
  const { id } = started.value;
  const endsAt = performance.now() + firstLookMs;
  const isRunning = (output: BackgroundProcessOutput | null): boolean => output?.state.status === 'running';
  let output = await backgroundProcesses.read(id);
  while (performance.now() < endsAt && !signal.aborted && isRunning(output)) {
    // An abort only ends this wait: the output so far is still reported.
    await sleep(50, signal).catch(() => undefined);
    output = await backgroundProcesses.read(id);
  }
  if (output === null) return { status: 'error', output: `The service ${id} is gone.` };
  const isOn = isRunning(output);
  const hint = isOn ? `\n[commands reach it on localhost; the tool "services" reads, lists and stops]` : '';
  return { status: isOn ? 'ok' : 'error', output: describeService(output) + hint, data: output.state };
}

export function describeService({ state, text }: BackgroundProcessOutput): string {
  return `${stateLine(state)}\n${text.trimEnd() === '' ? '(it has printed nothing)' : text.trimEnd()}`;
}

export function stateLine({ id, status, exitCode, command }: BackgroundProcessOutput['state']): string {
  return `${id}: ${status}${exitCode === null ? '' : ` with exit code ${exitCode}`}: ${command}`;
}
