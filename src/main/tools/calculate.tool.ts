import { z } from 'zod';
import runProgram from '../../../resources/programs/tools/calculate.py?raw';
import { shellQuote } from '../lib/programs/shell-quote.ts';
import { describeExec, orderedOutput } from './commands/describe-exec-result.ts';
import { defineTool } from './define.ts';
import { failureResult, okResult } from './values/tool-results.ts';

/**
 * Computes in the own folder of a talk. The sandbox holds nothing else of this machine and has no network; a network is
 * asked for by commands of tasks alone. Small models are not offered it: their programs fail too often, and then they make
 * a result up.
 */
export default defineTool({
  name: 'calculate',
  description:
    'Computes by running Python and returns what it prints. No network; files go to the folder of this talk.',
  access: 'execute',
  needs: 'computing',
  isForStrong: true,
  input: z.object({ code: z.string().min(1).max(20_000).describe('a Python program that prints the result') }),
  label: ({ code }) => `run Python: ${code.trim().split('\n', 1)[0] ?? ''}`,
  create: () => async (input, context) => {
    const ordered = orderedOutput();
    const request = {
      // In Base64, no character of the program means anything to the shell.
      command: `printf %s ${Buffer.from(input.code, 'utf8').toString('base64')} | base64 -d | python3 -c ${shellQuote(runProgram)}`,
      timeoutMs: context.facts.commandTimeoutMs,
      onOutput: ({ stream, bytes }: { readonly stream: 'stdout' | 'stderr'; readonly bytes: Uint8Array }) => {
        ordered.add(stream, bytes);
        context.emit(stream, bytes);
      },
    };
    const reply = await context.sandbox.exec(request, context.signal);
    if (!reply.ok) return failureResult(reply.error);
    const { exitCode, stdoutBytes, stderrBytes } = reply.value;
    if (exitCode === 0 && stdoutBytes + stderrBytes === 0)
      return okResult('The program ran and printed nothing. Print the result.');
    return describeExec(reply.value, '', ordered.text());
  },
});
