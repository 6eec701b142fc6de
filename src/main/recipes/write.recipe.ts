import type { Span } from './code/code-spans.ts';
import { loadSyntax, type Syntax } from './code/code-syntax.ts';
import { defineRecipe, type RecipeContext, type RecipeOutcome } from './define.ts';
import { editByWords } from './edit.recipe.ts';
import { parseTestOutput } from '../lib/test-output/parse-test-output.ts';
import { reportingEnvironment } from './trial/test-command.ts';
import { acceptChange, judgeOf } from './edit/accept-change.ts';
import { lastExchangeText } from './context/earlier-conversation.ts';
import { fileNameQuestion, freeFileName, kindOfNewFile } from './write/new-file-name.ts';
import { newFileIn, newFileQuestion, newFileText } from './write/new-file.ts';
import { planTests, testsIn, testsQuestion, withoutTests, type TestPlan, type WrittenTest } from './write/new-tests.ts';
import { isQuestionTask } from './context/question-shape.ts';
import { rankChunks, chunkText, type Chunk } from './context/rank-project-chunks.ts';
import { readChunks } from './context/read-project-chunks.ts';
import { runInCopy } from './trial/run-in-copy.ts';
import { asksForNewTests, isSmallTalk } from '@shared/text/task-kind.ts';
import { programOf } from './code/program-for-file.ts';
import type { FileText } from './trial/candidate-change.ts';
import { shellQuote } from '../lib/programs/shell-quote.ts';

/** The result of running a program once in a copy, without input. */
export type Trial =
  | { readonly type: 'ran'; readonly output: string }
  /** The program failed in its own code; `error` is the line that says so. */
  | { readonly type: 'crashed'; readonly error: string }
  /**
   * The program cannot be run, needs something that is missing (input, a package, a file), or does not end by itself.
   */
  | { readonly type: 'unknown' };

/** Errors that are the program's own fault. A missing file, package or input is not. */
const ownFault =
  /^(?:Uncaught )?((?:Name|Type|Attribute|Syntax|Indentation|Tab|UnboundLocal|Reference|Range|Key|Index|ZeroDivision)Error\b.*)$/gmu;

export async function tryProgram(context: RecipeContext, file: FileText): Promise<Trial> {
  const program = programOf(file.path);
  if (program === null) return { type: 'unknown' };
  const command = `${program} ${shellQuote(file.path)}`;
  const ran = await runInCopy(context, [file], { command, label: `try ${file.path}`, limitSeconds: 10 });
  if (ran?.exitCode === 0) return { type: 'ran', output: ran.stdout.trim() };
  const error = [...(ran?.stderr ?? '').matchAll(ownFault)].pop()?.[1];
  return error === undefined ? { type: 'unknown' } : { type: 'crashed', error };
}

const temperatures = [0, 0.7, 0.9];

export default defineRecipe({
  id: 'write',
  label: 'Write a new file, or tests',
  fits: (subject) => {
    if (subject.mode === 'plan' || !subject.canExecute || subject.checkPasses === false || isQuestionTask(subject))
      return null;
    const path = newFileIn(subject.task);
    const { sourceFiles, testFiles } = subject.facts;
    const isThere = path !== null && [...sourceFiles, ...testFiles].includes(path);
    if (path !== null && !isThere) return { score: 0.8, reason: `The task asks for a new file: ${path}.` };
    if (asksForNewTests(subject.task) && sourceFiles.length > 0)
      return { score: 0.7, reason: 'The task asks for tests. They run before they are kept.' };
    if (path === null && !isSmallTalk(subject.task) && kindOfNewFile(subject) !== null)
      return { score: 0.65, reason: 'The task asks for something new in a file of its own.' };
    return null;
  },
  run: writeNew,
});

async function writeNew(context: RecipeContext): Promise<RecipeOutcome> {
  const named = newFileIn(context.task);
  if (named !== null && (await context.world.read(named)) !== null) return editByWords(context);
  const syntax = await loadSyntax();
  const chunks = await readChunks(context, syntax, context.task, false);
  const { sourceFiles } = context.facts;
  if (named === null && asksForNewTests(context.task) && sourceFiles.length > 0)
    return writeTests(context, syntax, chunks);
  const path = named ?? (await nameFile(context));
  return writeFile(context, syntax, {
    path,
    shown: chunkText(rankChunks(chunks, context.task).map(({ chunk }) => chunk)),
  });
}

async function nameFile(context: RecipeContext): Promise<string> {
  const kind = kindOfNewFile(context) ?? 'txt';
  const taken = new Set((await context.world.list()).map(({ path }) => path));
  const usual = freeFileName('', kind, taken);
  if (usual === 'index.html') return usual;
  const answer = await context.model.ask(fileNameQuestion(context.task, kind));
  return answer.ok ? freeFileName(answer.text, kind, taken) : usual;
}

async function writeFile(
  context: RecipeContext,
  syntax: Syntax,
  about: { readonly path: string; readonly shown: string },
): Promise<RecipeOutcome> {
  const judge = await judgeOf(context);
  let why = 'The model wrote nothing that is such a file.';
  for (const temperature of temperatures) {
    const seed = temperature === 0 ? null : context.settings.seed;
    const answer = await context.model.ask(newFileQuestion(context.task, { ...about, temperature, seed }));
    if (!answer.ok) return { type: 'gave-up', reason: answer.message, facts: '' };
    const text = newFileText(syntax, about.path, answer.text);
    if (!answer.complete) why = `The file is longer than what this model may write at once.`;
    if (text === null || !answer.complete) continue;
    const file = { path: about.path, text };
    const trial = await tryProgram(context, file);
    if (trial.type === 'crashed') {
      why = `Every try of it crashed when it was run, the last with ${trial.error}`;
      continue;
    }
    const outcome = await acceptChange(context, judge, { files: [file], name: about.path, did: 'Wrote' });
    if (outcome !== null) return withOutput(outcome, trial);
    why = 'Tests that passed fail with it.';
  }
  return { type: 'gave-up', reason: `${about.path} was not written. ${why}`, facts: '' };
}

const maxOutput = 600;

/** Adds the output, which is the best evidence for judging the program. */
function withOutput(outcome: RecipeOutcome, trial: Trial): RecipeOutcome {
  if (outcome.type !== 'done' || trial.type !== 'ran') return outcome;
  const { output } = trial;
  const shown = output.length > maxOutput ? `${output.slice(0, maxOutput)}…` : output;
  const printed = shown === '' ? 'printed nothing.' : `printed:\n\n\`\`\`\n${shown}\n\`\`\``;
  return { ...outcome, text: `${outcome.text} Run once in a copy, it ${printed}` };
}

/**
 * Writes tests of one function or class and runs each on the present code. Those that fail are left out and reported.
 */
async function writeTests(context: RecipeContext, syntax: Syntax, chunks: readonly Chunk[]): Promise<RecipeOutcome> {
  const target = targetOf(context, chunks);
  const text = target === null ? null : await context.world.read(target.path);
  if (target === null || text === null)
    return { type: 'gave-up', reason: 'It is not said which function or class is to be tested.', facts: '' };
  const plan = await planTests(context, target);
  await context.progress('locate', `Tests for ${target.name} in ${target.path} go into ${plan.path}.`);
  for (const temperature of temperatures) {
    const answer = await context.model.ask(testsQuestion(context.task, { target, text, plan, temperature }));
    if (!answer.ok) return { type: 'gave-up', reason: answer.message, facts: '' };
    const written = testsIn(syntax, target.language, answer.text);
    const kept = written === null ? null : await keepPassing(context, plan, written);
    if (kept === null) continue;
    const refused = await context.world.apply([{ path: plan.path, text: kept.text }]);
    if (refused !== null) return { type: 'gave-up', reason: refused, facts: '' };
    return { type: 'done', text: outputText(target, plan, kept), confidence: 'unchecked' };
  }
  return {
    type: 'gave-up',
    reason: `No test of ${target.name} could be written that runs and passes on the code as it is.`,
    facts: '',
  };
}

/**
 * What the text names, otherwise what was named last before. A function comes before a class, and a class before a
 * constant.
 */
function targetOf(context: RecipeContext, chunks: readonly Chunk[]): Span | null {
  const spans = chunks.flatMap(({ span }) => (span === null || span.kind === 'block' ? [] : [span]));
  for (const text of [context.task, lastExchangeText(context.earlier)]) {
    const words = new Set(text.match(/[A-Za-z_$][\w$]*/g) ?? []);
    const named = spans.find(({ shortName }) => words.has(shortName));
    if (named !== undefined) return named;
    const inFile = spans.find(({ path }) => text.includes(path.split('/').pop() ?? path));
    if (inFile !== undefined) return inFile;
  }
  const [best] = rankChunks(
    chunks.filter(({ span }) => span !== null && span.kind !== 'block'),
    context.task,
  );
  return best?.chunk.span ?? (spans.length === 1 ? (spans[0] ?? null) : null);
}

interface Kept {
  readonly text: string;
  readonly passing: number;
  readonly failing: readonly string[];
}

async function keepPassing(
  context: RecipeContext,
  plan: TestPlan,
  { text, tests }: { readonly text: string; readonly tests: readonly WrittenTest[] },
): Promise<Kept | null> {
  const first = await runTests(context, plan, text);
  if (first === null) return null;
  if (first.exitCode === 0) return { text, passing: tests.length, failing: [] };
  const failed = tests.filter(({ name }) =>
    first.failed.some((id) => id === name || id.endsWith(`::${name}`) || id.endsWith(` > ${name}`)),
  );
  if (failed.length === 0 || failed.length === tests.length) return null;
  const left = withoutTests(text, failed);
  const second = await runTests(context, plan, left);
  if (second?.exitCode !== 0) return null;
  return { text: left, passing: tests.length - failed.length, failing: failed.map(({ name }) => name) };
}

/** Runs in a copy, so that rejected tests were never in the workspace. Null: there is no copy. */
async function runTests(
  context: RecipeContext,
  plan: TestPlan,
  text: string,
): Promise<{ readonly exitCode: number | null; readonly failed: readonly string[] } | null> {
  const env = reportingEnvironment(plan.framework === 'pytest' ? 'pytest' : 'node-test');
  const { command } = plan;
  const ran = await runInCopy(context, [{ path: plan.path, text }], {
    command,
    label: `run ${command}`,
    env,
    limitSeconds: 60,
  });
  if (ran === null) return null;
  const { exitCode, stdout, stderr } = ran;
  const report = parseTestOutput(`${stdout}\n${stderr}`, [ran.root]);
  return { exitCode, failed: report.failures.map(({ id }) => id) };
}

function outputText(target: Span, plan: TestPlan, { passing, failing }: Kept): string {
  const count = passing === 1 ? '1 test' : `${passing} tests`;
  const out =
    failing.length === 0
      ? ''
      : ` ${failing.length} more did not pass and ${failing.length === 1 ? 'was' : 'were'} left out (${failing.join(', ')}): either ${failing.length === 1 ? 'it was' : 'they were'} wrong, or the code is.`;
  const passes = passing === 1 ? 'It passes' : 'They pass';
  return `Wrote ${count} of ${target.name} in ${plan.path}. ${passes} on the code as it is: that says what the code does, not that it is right.${out}`;
}
