import { z } from 'zod';
import { passedTests } from '@shared/text/passed-tests.ts';
import type { CheckResult } from '@shared/session/session-state.ts';
import type { SuccessCheck } from '../../recipes/define.ts';
import { createOutputSink } from '../loop/output-sink.ts';
import { takeAction } from '../turn/take-action.ts';
import { revertGuardedChanges } from '../changes/revert-guarded-changes.ts';
import type { ChangingTurn } from '../turn/turn.ts';
import { endlessTests, endlessText } from '../../lib/endless/endless-tests.ts';
import { lateMark, watchedCommand } from '../../lib/endless/watch-script.ts';
import { reportKeepBytes, untilReport, withoutReport } from '../../lib/test-output/machine-report.ts';
import { parseTestOutput } from '../../lib/test-output/parse-test-output.ts';
import { withReport } from '../../lib/test-output/reporting-command.ts';

const resultSchema = z.object({ passed: z.boolean(), exitCode: z.number().nullable(), summary: z.string() });
const STDOUT_CHARACTERS = 1_600;
const STDERR_CHARACTERS = 500;
/** After the work, a test that is only slow gets more time: its check decides how the turn ends. */
const patienceSeconds = { before: 10, after: 15 } as const;
/** Left for the watcher to say what it stopped. */
const spareMs = 5_000;

/**
 * Runs the success check in the workspace, as an action, and logs the result. `isUnrelated` decides about a failed
 * check.
 */
export async function runCheck(
  turn: ChangingTurn,
  check: SuccessCheck,
  phase: 'before' | 'after',
  isUnrelated: (failed: CheckResult) => boolean = () => false,
): Promise<CheckResult> {
  const seen = await takeAction<CheckResult>(
    turn,
    {
      tool: 'run_check',
      label: `check: ${check.command}`,
      input: { command: check.command, phase },
      limitMs: turn.dependencies.config.commandTimeoutMs,
      run: async (toolCallId) => {
        const { sandbox, config, journal } = turn.dependencies;
        const sink = createOutputSink(journal, toolCallId);
        const who = { by: 'recipe', toolCallId } as const;
        const { value: reply, changed } = await turn.files.changes.around(who, () =>
          sandbox.exec(
            {
              command: watchedCommand(withReport(check.command), {
                patienceSeconds: patienceSeconds[phase],
                limitSeconds: Math.ceil(config.commandTimeoutMs / 1000),
              }),
              timeoutMs: config.commandTimeoutMs + spareMs,
              keepBytes: reportKeepBytes,
              onOutput: untilReport((stream, bytes) => sink.emit(stream, bytes)),
            },
            turn.signal,
          ),
        );
        await revertGuardedChanges(turn, changed, { toolCallId });
        if (!reply.ok) {
          await sink.end(0, false);
          const data = { passed: false, exitCode: null, summary: reply.error.message };
          return {
            status: reply.error.code === 'cancelled' ? 'cancelled' : 'error',
            output: reply.error.message,
            data,
          };
        }
        const { outcome, exitCode, stdout, stderr, durationMs } = withoutReport(reply.value);
        const output = [stdout.trimEnd(), stderr.trimEnd()].filter((text) => text !== '').join('\n');
        const full = await sink.end(Buffer.byteLength(output) + 64, false);
        const data = {
          passed: outcome === 'exited' && exitCode === 0,
          exitCode,
          summary: [
            endingText(outcome, output, config.commandTimeoutMs),
            countsOf(check.command, `${reply.value.stdout}\n${reply.value.stderr}`),
            summaryOf(stdout.trimEnd(), stderr.trimEnd()),
          ]
            .filter((text) => text !== '')
            .join('\n'),
        };
        const status = outcome === 'cancelled' ? 'cancelled' : outcome === 'timed-out' ? 'timed-out' : 'ok';
        return { status, output, exitCode, durationMs, data, ...(full === null ? {} : { full }) };
      },
    },
    (data) =>
      data === null ? { passed: false, exitCode: null, summary: 'It could not be run.' } : resultSchema.parse(data),
  );
  const result = !seen.passed && isUnrelated(seen) ? { ...seen, unrelated: true as const } : seen;
  turn.progress.lastCheck = { okWrites: turn.progress.okWrites, check: result };
  await turn.log.append({ type: 'check-ended', phase, command: check.command, ...result });
  return result;
}

/** What did not end, which is the first thing to know about a check. Empty: everything ended. */
function endingText(outcome: string, output: string, limitMs: number): string {
  const endless = endlessText(endlessTests(output));
  if (endless !== '') return endless;
  return outcome === 'timed-out' || output.includes(lateMark) ? `It ran longer than ${limitMs / 1000} s.` : '';
}

/** The counts of a runner that does not print them for people as `passedTests` reads them. Empty: they are there. */
function countsOf(command: string, output: string): string {
  if (withReport(command) === command && passedTests(output) !== null) return '';
  const { counts } = parseTestOutput(output, []);
  return counts === null ? '' : `${counts.passed} passed, ${counts.failed + counts.errors} failed`;
}

/** The end of both streams. Most runners print results on one and only noise on the other. */
export function summaryOf(stdout: string, stderr: string): string {
  return [ending(stdout, STDOUT_CHARACTERS), ending(stderr, STDERR_CHARACTERS)]
    .filter((text) => text !== '')
    .join('\n');
}

/** `node --test` prints its counts before the failures, so the end alone would not have them. */
const counts = /^[#\u2139] (?:tests|pass|fail|skipped) \d+$/gmu;

function ending(output: string, characters: number): string {
  if (output.length <= characters) return output;
  const least = output.length - characters;
  const line = output.indexOf('\n', least);
  const from = line < 0 ? least : line + 1;
  const counted = output.slice(0, from).match(counts) ?? [];
  // On a line of its own, so that the first line that is kept still counts.
  return [...counted, line < 0 ? `…${output.slice(from)}` : `…\n${output.slice(from)}`].join('\n');
}

/** Whether the check is worse than before: it passed and now fails, or fewer tests pass. */
export function isWorse(before: CheckResult, after: CheckResult): boolean {
  if (before.passed) return !after.passed;
  if (after.passed) return false;
  const had = passedTests(before.summary);
  return had !== null && (passedTests(after.summary) ?? 0) < had;
}
