import type { Syntax } from '../../code/code-syntax.ts';
import type { TestFailure, TestReport } from '../../../lib/test-output/test-report.ts';
import { showFailingTests, type FailingTests } from './failing-tests.ts';
import type { Suspect } from '../locate/rank-suspects.ts';
import type { ProjectReader } from '../../facts/project-reader.ts';
import type { PromptContext } from './fix-prompts.ts';
import { roughTokens, showFile, showWithoutBody } from '../../code/show-code.ts';

/** The tokens for each part of a prompt; about 1,200 together. */
export interface PromptContextBudget {
  readonly tests: number;
  readonly failures: number;
  readonly files: number;
}

export const smallBudget: PromptContextBudget = { tests: 420, failures: 140, files: 650 };

export async function readFailingTests(
  syntax: Syntax,
  reader: ProjectReader,
  report: TestReport,
  budget: PromptContextBudget,
): Promise<readonly FailingTests[]> {
  const paths = [...new Set(report.failures.map((failure) => failure.path).filter((path) => path !== null))].slice(
    0,
    2,
  );
  const shown: FailingTests[] = [];
  for (const path of paths) {
    const text = await reader.text(path);
    if (text === null) continue;
    const failures = report.failures.filter((failure) => failure.path === path);
    shown.push(showFailingTests(syntax, { path, text }, failures, Math.floor(budget.tests / paths.length)));
  }
  return shown;
}

/** The lines with actual and expected values, for the first three failures. */
export function failureText(failures: readonly TestFailure[], budget: PromptContextBudget): string {
  const parts: string[] = [];
  let left = budget.failures;
  for (const failure of failures.slice(0, 3)) {
    const name = failure.id.split('::').slice(1).join('.') || failure.id;
    const text = `${name}: ${failure.message}`;
    const fits = roughTokens(text) <= left ? text : text.slice(0, left * 3);
    if (fits.length > 20) parts.push(fits);
    left -= roughTokens(fits);
    if (left <= 0) break;
  }
  return parts.join('\n');
}

/**
 * The prompt context around some suspects: their files, without the bodies of other spans if the files are long.
 * `without`: the span whose body is hidden.
 */
export async function buildPromptContext(
  parts: {
    readonly task: string;
    readonly tests: readonly FailingTests[];
    readonly failures: readonly TestFailure[];
    readonly reader: ProjectReader;
  },
  shown: readonly Suspect[],
  without: Suspect | null,
  budget: PromptContextBudget,
): Promise<PromptContext> {
  const paths = [...new Set(shown.map((suspect) => suspect.span.path))].slice(0, 3);
  const files: PromptContext['files'][number][] = [];
  for (const path of paths) {
    const file = await parts.reader.source(path);
    if (file === null) continue;
    const wanted = shown.map((suspect) => suspect.span).filter((span) => span.path === path);
    const room = Math.floor(budget.files / paths.length);
    if (without === null || without.span.path !== path) {
      files.push({ path, language: file.language, text: showFile(file.text, file.spans, wanted, room) });
      continue;
    }
    // The hidden body is cut out of the excerpt, so that a long file keeps its outline.
    const outline = showFile(file.text, file.spans, [without.span], room);
    const body = file.text.split('\n').slice(without.span.headEndLine, without.span.endLine).join('\n');
    const hidden =
      roughTokens(file.text) <= room ? showWithoutBody(file.text, without.span) : outline.replace(body, '    # TODO');
    files.push({ path, language: file.language, text: hidden });
  }
  return {
    task: parts.task.trim().slice(0, 1_200),
    tests: parts.tests.map(({ path, language, text }) => ({ path, language, text })),
    failing: parts.tests[0]?.first ?? '',
    failures: failureText(parts.failures, budget),
    files,
  };
}
