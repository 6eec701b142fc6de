import { z } from 'zod';
import type { NetworkDecision } from '../sandbox/network/network-decision.ts';
import { areOfItself } from '@shared/safety/network-access.ts';
import { defineTool, forLarge, forPerson } from './define.ts';
import { describeExec, orderedOutput } from './commands/describe-exec-result.ts';
import { leftRunning } from './commands/left-running.ts';
import { failureResult } from './values/tool-results.ts';
import { startService } from './commands/background-services.ts';

export default defineTool({
  name: 'run_command',
  description: 'Run a shell command in the project folder; cd does not last. No network, unless "network" names hosts.',
  access: 'execute',
  input: z.object({
    command: z.string().min(1).max(20_000).meta(forPerson('the command, for a shell')),
    why: z.string().max(500).optional().describe('for the person'),
    timeoutSeconds: z.number().min(1).max(3600).optional().describe('default: 120').meta(forLarge),
    background: z.boolean().optional().describe('for a server; it goes on until stopped').meta(forLarge),
    network: z
      .object({ hosts: z.array(z.string().min(1).max(260)).min(1).max(16), why: z.string().min(1).max(500) })
      .optional()
      .describe('exact names; the person is asked')
      .meta(forLarge),
  }),
  label: ({ command, why, network, background }) =>
    `${background === true ? 'start' : 'run'} ${command}${why === undefined ? '' : ` (${why})`}${network === undefined ? '' : ` with a network to ${network.hosts.join(', ')}`}`,
  create: () => async (given, context) => {
    const isAlone = given.network === undefined || areOfItself(given.network.hosts);
    const input = isAlone ? { ...given, network: undefined } : given;
    const timeoutMs = input.timeoutSeconds === undefined ? context.facts.commandTimeoutMs : input.timeoutSeconds * 1000;
    const ordered = orderedOutput();
    const request = {
      command: input.command,
      timeoutMs,
      onOutput: ({ stream, bytes }: { readonly stream: 'stdout' | 'stderr'; readonly bytes: Uint8Array }) => {
        ordered.add(stream, bytes);
        context.emit(stream, bytes);
      },
    };
    if (input.background === true) {
      if (input.network !== undefined || context.runWithNetwork !== undefined)
        return { status: 'refused', output: 'A command in the background has no network but localhost.' };
      return startService(input.command, context);
    }
    // An approved network may come from a request in another form, without `network`.
    if (input.network === undefined && context.runWithNetwork === undefined) {
      const reply = await context.sandbox.exec(request, context.signal);
      return reply.ok
        ? describeExec(reply.value, endedText(input.command), ordered.text())
        : failureResult(reply.error);
    }
    // Without an approval no network is reached.
    if (context.runWithNetwork === undefined) return { status: 'refused', output: 'No network was approved.' };
    const reply = await context.runWithNetwork(request);
    if (!reply.ok) return failureResult(reply.error);
    const packages = (reply.value.packages ?? []).map(({ text }) => `\n[${text}]`).join('');
    return describeExec(
      reply.value,
      networkText(reply.value.decisions) + packages + endedText(input.command),
      ordered.text(),
    );
  },
});

/** What is left running is ended with its command, and the model would take it for a server that runs. */
function endedText(command: string): string {
  const left = leftRunning(command);
  return left === null
    ? ''
    : `\n[what a command leaves running ends with it: ${left}; "background": true lets it go on]`;
}

/** Which hosts were reached and which were not. Equal lines are counted, because most of them repeat. */
function networkText(decisions: readonly NetworkDecision[]): string {
  const lines = new Map<string, number>();
  for (const { host, port, isAllowed, reason } of decisions) {
    const place = `${host === '' ? '(no host)' : host}${port === null ? '' : `:${port}`}`;
    const text = isAllowed ? `reached ${place}` : `not let through: ${place} (${reason})`;
    lines.set(text, (lines.get(text) ?? 0) + 1);
  }
  const shown = [...lines].slice(0, 20).map(([text, count]) => `\n[${text}${count === 1 ? '' : `, ${count} times`}]`);
  return shown.join('');
}
