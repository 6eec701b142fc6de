import type { RecipeContext } from '../../define.ts';
import type { Syntax } from '../../code/code-syntax.ts';
import { measureCoverage, type Coverage } from '../../facts/coverage.ts';
import { importClosure } from '../../facts/import-closure.ts';
import { findMissingNames } from '../../facts/missing-names.ts';
import type { FailingTests } from '../prompts/failing-tests.ts';
import { findInsertions, type Insertion } from '../locate/insertions.ts';
import type { Judge } from '../judge/judge-candidate.ts';
import { findMissingMembers } from '../locate/missing-members.ts';
import { reachOf } from '../locate/reach-of-tests.ts';
import { rankSuspects, type Evidence, type Suspect } from '../locate/rank-suspects.ts';
import type { ProjectReader, SourceFile } from '../../facts/project-reader.ts';
import { readFailingTests, smallBudget, buildPromptContext } from '../prompts/failure-prompt-context.ts';
import { reportingCommand } from '../../trial/test-command.ts';
import type { Attempt } from './propose-change.ts';
import type { PromptContext } from '../prompts/fix-prompts.ts';

/** What is known about the failures at one point of the search. */
export interface FailureContext {
  readonly evidence: Evidence;
  readonly suspects: readonly Suspect[];
  readonly insertions: readonly Insertion[];
  readonly tests: readonly FailingTests[];
  readonly files: readonly SourceFile[];
}

export interface FailureContextParts {
  readonly context: RecipeContext;
  readonly syntax: Syntax;
  readonly judge: Judge;
}

/**
 * Facts about the failures, gathered without a model: the lines they run, what they name, and what is missing. `kept`:
 * files changed so far.
 */
export async function readFailureContext(
  parts: FailureContextParts,
  reader: ProjectReader,
  kept: ReadonlyMap<string, string>,
): Promise<FailureContext> {
  const { context, judge, syntax } = parts;
  const { report } = judge.baseline();
  const coverage = context.settings.locate.coverage ? await coverageOf(parts) : null;
  const tests = await readFailingTests(syntax, reader, report, smallBudget);
  const all = new Set([...context.facts.sourceFiles, ...context.facts.testFiles, ...kept.keys()]);
  const starts = report.failures.map((failure) => failure.path).filter((path) => path !== null);
  const distance = await importClosure([...new Set(starts)], all, (path) => reader.text(path), 60);
  const files = await filesOf(parts, reader, { distance, coverage, kept });
  const testText = tests.map((test) => test.text).join('\n');
  const missing = findMissingNames(report.failures);
  const testFiles = [...distance.keys()].filter((path) => context.facts.testFiles.includes(path));
  const reach =
    coverage === null
      ? reachOf({ files, tests, task: context.task, helpers: await sourcesOf(testFiles, reader) })
      : null;
  const evidence: Evidence = {
    failures: report.failures,
    coverage,
    testNames: new Set(tests.flatMap((test) => [...test.names])),
    task: context.task,
    distance,
    missing: findMissingMembers(missing, [testText, ...files.map(({ text }) => text)].join('\n')),
    reach,
  };
  const suspects = rankSuspects(files, evidence).slice(0, 12);
  const insertions = findInsertions(missing, files, {
    task: context.task,
    names: evidence.testNames,
    text: testText,
    roots: judge.roots,
  });
  const seen = suspects.map((one) => ({
    name: one.span.name,
    path: one.span.path,
    line: one.span.startLine,
    endLine: one.span.endLine,
    kind: one.span.kind,
    score: Number(one.score.toFixed(2)),
    reasons: one.reasons,
  }));
  const lacks = insertions.map((one) => one.name);
  const missingText = lacks.length === 0 ? '' : ` Missing: ${lacks.join(', ')}.`;
  await context.progress(
    'locate',
    `${report.failures.length} failing. Suspects: ${seen.map((one) => one.name).join(', ') || 'none'}.${missingText}`,
    { suspects: seen, missing: lacks },
  );
  return { evidence, suspects, insertions, tests, files };
}

async function coverageOf({ context, judge }: FailureContextParts): Promise<Coverage | null> {
  const { report, durationMs } = judge.baseline();
  // Where a test stands that does not end is known better.
  if (durationMs > 20_000 || report.failures.every(({ errorName }) => errorName === 'DoesNotEndError')) return null;
  return measureCoverage(context, {
    command: reportingCommand(context.check?.command ?? ''),
    trial: judge.paths.trial,
    workFolder: judge.paths.workFolder,
    report,
    timeoutMs: 5_000 + durationMs * 4,
  });
}

/** Source files, those nearest to the failing tests first. */
async function filesOf(
  parts: FailureContextParts,
  reader: ProjectReader,
  about: {
    readonly distance: ReadonlyMap<string, number>;
    readonly coverage: Coverage | null;
    readonly kept: ReadonlyMap<string, string>;
  },
): Promise<readonly SourceFile[]> {
  const { distance, coverage, kept } = about;
  const { facts } = parts.context;
  const tests = new Set(facts.testFiles);
  const isSource = (path: string) => !tests.has(path) && (facts.sourceFiles.includes(path) || kept.has(path));
  const near = [...distance.entries()].sort((left, right) => left[1] - right[1]).map(([path]) => path);
  const executed = [...(coverage?.lines.keys() ?? [])];
  const traced = parts.judge.baseline().report.failures.flatMap((failure) => failure.frames.map((frame) => frame.path));
  const rest = facts.sourceFiles.length <= 20 ? facts.sourceFiles : [];
  const paths = [...new Set([...traced, ...near, ...executed, ...rest])].filter(isSource).slice(0, 60);
  return sourcesOf(paths, reader);
}

/** Sequentially, because a replay must read in the recorded order. */
async function sourcesOf(paths: readonly string[], reader: ProjectReader): Promise<readonly SourceFile[]> {
  const files: SourceFile[] = [];
  for (const path of paths) {
    const file = await reader.source(path);
    if (file !== null) files.push(file);
  }
  return files;
}

/** The prompt context of an attempt: the task, the tests, and the places that may be at fault. */
export function promptContextFor(
  {
    task,
    reader,
    failureContext,
  }: { readonly task: string; readonly reader: ProjectReader; readonly failureContext: FailureContext },
  attempt: Attempt,
): Promise<PromptContext> {
  const parts = { task, tests: failureContext.tests, failures: failureContext.evidence.failures, reader };
  const top = failureContext.suspects.slice(0, 3);
  if (attempt.form === 'insert') {
    const inFile = failureContext.suspects.filter((suspect) => suspect.span.path === attempt.insertion.path);
    const file = failureContext.files.find((one) => one.path === attempt.insertion.path);
    const any = file?.spans[0];
    const shown =
      inFile.length > 0 || any === undefined
        ? [...inFile, ...top]
        : [{ span: any, score: 0, reasons: [], isMissing: false }, ...top];
    return buildPromptContext(parts, shown, null, smallBudget);
  }
  const shown = top.some((suspect) => suspect.span.id === attempt.suspect.span.id)
    ? top
    : [...top.slice(0, 2), attempt.suspect];
  return buildPromptContext(parts, shown, attempt.form === 'body' ? attempt.suspect : null, smallBudget);
}
