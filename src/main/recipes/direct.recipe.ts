import { asksToRun, politely } from '@shared/text/task-kind.ts';
import { programOf } from './code/program-for-file.ts';
import { defineRecipe, type RecipeContext, type RecipeOutcome } from './define.ts';
import { splitReports } from '../lib/test-output/machine-report.ts';
import { withReport } from '../lib/test-output/reporting-command.ts';
import { parseTestOutput } from '../lib/test-output/parse-test-output.ts';
import { reportingEnvironment } from './trial/test-command.ts';
import { reportingCommand } from './trial/test-command.ts';
import { shellQuote } from '../lib/programs/shell-quote.ts';

const path = String.raw`[\x60'"]?((?:[\w.@-]+\/)*[\w@-][\w.@-]*\.\w{1,5})[\x60'"]?`;
const deletes = new RegExp(String.raw`${politely}(?:delete|remove)\s+(?:the\s+)?(?:file\s+)?${path}[\s.!]*$`, 'i');
const undoes = new RegExp(
  String.raw`${politely}(?:undo|revert|take back)(?:\s+(?:that|it|this|(?:the|your|my)\s+(?:last\s+)?changes?|everything))?(?:\s+again)?[\s.!]*$`,
  'i',
);
const timeoutMs = 300_000;
const maxLines = 30;

export default defineRecipe({
  id: 'direct',
  label: 'Do what needs no model',
  fits: ({ mode, task }) => {
    if (mode === 'plan' || (asksToRun(task) === null && !deletes.test(task) && !undoes.test(task))) return null;
    return { score: 0.98, reason: 'The request is complete, so no model is needed.' };
  },
  run: doDirectly,
});

async function doDirectly(context: RecipeContext): Promise<RecipeOutcome> {
  const { task, canExecute } = context;
  if (undoes.test(task)) return { type: 'answered', text: howToUndo };
  if (!canExecute) return { type: 'gave-up', reason: 'Without a sandbox nothing can be run or changed.', facts: '' };
  const deleted = deletes.exec(task)?.[1];
  if (deleted !== undefined) return deleteFile(context, deleted);
  const asked = asksToRun(task);
  return asked === null || asked === 'tests' ? runTests(context) : runFile(context, asked);
}

/** An undo is left to the user, who can choose files, and whose later edits are left alone. */
const howToUndo =
  'Nothing was changed. To take changes back: `/undo` (or `/undo PATH`) here, *Changes* beside the conversation in the window, or `dewpoint changes SESSION undo` in a terminal. An undo can be undone.';

async function deleteFile(context: RecipeContext, file: string): Promise<RecipeOutcome> {
  const entries = await context.world.list();
  if (!entries.some((entry) => entry.path === file && entry.kind === 'file'))
    return { type: 'gave-up', reason: `There is no file ${file} in this project; nothing was deleted.`, facts: '' };
  const removed = await context.world.run({
    command: `rm -- ${shellQuote(file)}`,
    label: `delete ${file}`,
    timeoutMs: 10_000,
  });
  const isGone = !(await context.world.list()).some((entry) => entry.path === file);
  if (isGone) return { type: 'done', text: `Deleted ${file}.`, confidence: 'unchecked' };
  const why = removed.stderr.trim();
  return { type: 'gave-up', reason: `${file} is still there: ${why === '' ? 'it is guarded' : why}.`, facts: '' };
}

async function runTests(context: RecipeContext): Promise<RecipeOutcome> {
  const { facts, check, world } = context;
  const given = check?.command ?? facts.test?.command ?? null;
  if (given === null)
    return {
      type: 'answered',
      text: 'No tests were found in this project. A command that checks it can be given with `--check`.',
    };
  const command = reportingCommand(given);
  const env = reportingEnvironment(facts.test?.runner ?? null);
  const { stdout, stderr, outcome, exitCode } = await world.run({
    command: withReport(command),
    label: `run ${command}`,
    env,
    timeoutMs,
  });
  const output = `${stdout}\n${stderr}`;
  const { passed, failures, parsed } = parseTestOutput(output, [world.workspacePath]);
  // Not every runner names the tests that passed, and some fail without a failing test.
  const isUnclear = failures.length === 0 && (exitCode !== 0 || passed.size === 0);
  if (outcome !== 'exited' || !parsed || isUnclear)
    return { type: 'answered', text: outputText(command, splitReports(output).text, { outcome, exitCode }) };
  const list = failures.slice(0, 10).map(({ id, message }) => `- \`${id}\`: ${message.split('\n')[0] ?? ''}`);
  const more = failures.length > 10 ? [`- and ${failures.length - 10} more`] : [];
  const counts = `${passed.size} passed, ${failures.length} failed`;
  return {
    type: 'answered',
    text: [`\`${given}\`: ${counts}${list.length === 0 ? '.' : ':'}`, ...list, ...more].join('\n'),
  };
}

async function runFile(context: RecipeContext, file: string): Promise<RecipeOutcome> {
  const program = programOf(file);
  if (program === null || (await context.world.read(file)) === null)
    return { type: 'gave-up', reason: `There is no file ${file} in this project that could be run.`, facts: '' };
  const command = `${program} ${shellQuote(file)}`;
  const { stdout, stderr, outcome, exitCode } = await context.world.run({ command, label: `run ${file}`, timeoutMs });
  return { type: 'answered', text: outputText(command, `${stdout}\n${stderr}`, { outcome, exitCode }) };
}

function outputText(
  command: string,
  output: string,
  end: { readonly outcome: string; readonly exitCode: number | null },
): string {
  const lines = output.trim().split('\n');
  const shown = lines.slice(-maxLines).join('\n');
  const cut = lines.length > maxLines ? `, the last ${maxLines} lines of its output` : '';
  const how =
    end.outcome === 'exited' ? `ended with exit code ${end.exitCode}` : `did not end by itself (${end.outcome})`;
  return `\`${command}\` ${how}${cut}:\n\n\`\`\`\n${shown === '' ? '(no output)' : shown}\n\`\`\``;
}
