import { z } from 'zod';
import { defineTool } from './define.ts';
import { describeExec } from './commands/describe-exec-result.ts';
import { endlessTests, endlessText } from '../lib/endless/endless-tests.ts';
import { watchedCommand } from '../lib/endless/watch-script.ts';
import { reportKeepBytes, untilReport, withoutReport } from '../lib/test-output/machine-report.ts';
import { withReport } from '../lib/test-output/reporting-command.ts';
import { errorResult, failureResult } from './values/tool-results.ts';
import { describeTests, summarizeTests, withSelector } from './commands/test-run-output.ts';

export default defineTool({
  name: 'run_tests',
  description: "Run the project's tests, or some of them. It finds tests that you just wrote.",
  access: 'execute',
  input: z.object({
    selector: z.string().max(500).optional().describe('a file, path::name (pytest), or part of a name'),
  }),
  label: ({ selector }) => `run the tests${selector === undefined ? '' : ` ${selector}`}`,
  create:
    () =>
    async ({ selector }, context) => {
      const { findTests, commandTimeoutMs } = context.facts;
      const tests = await findTests(context.signal);
      if (tests === null) return errorResult('No tests were found in this project. Write some, or use run_command.');
      const command = selector === undefined ? tests.command : withSelector(tests.command, tests.runner, selector);
      if (command === null)
        return errorResult('This test runner takes no selector. Run all tests, or use run_command.');
      const reply = await context.sandbox.exec(
        {
          command: watchedCommand(withReport(command), {
            patienceSeconds: 12,
            limitSeconds: Math.ceil(commandTimeoutMs / 1000),
          }),
          timeoutMs: commandTimeoutMs + 5_000,
          keepBytes: reportKeepBytes,
          onOutput: untilReport((stream, bytes) => context.emit(stream, bytes)),
        },
        context.signal,
      );
      if (!reply.ok) return failureResult(reply.error);
      const summary = summarizeTests(`${reply.value.stdout}\n${reply.value.stderr}`);
      const endless = endlessText(endlessTests(`${reply.value.stdout}\n${reply.value.stderr}`));
      const headline = [
        summary === null ? '' : `: ${describeTests(summary)}`,
        endless === '' ? '' : `\n${endless}`,
      ].join('');
      const { outcome, exitCode } = reply.value;
      const ran = withoutReport(reply.value);
      const isGreen =
        outcome === 'exited' && exitCode === 0 && summary !== null && summary.failed + summary.errors === 0;
      // Where all pass, the counts say everything.
      const shown = isGreen ? { ...ran, stdout: '', stderr: '', stdoutBytes: 0, stderrBytes: 0 } : ran;
      return { ...describeExec(shown, headline), data: summary };
    },
});
