import type { Attempt } from './propose-change.ts';
import type { PromptContext } from '../prompts/fix-prompts.ts';
import type { ProjectReader } from '../../facts/project-reader.ts';
import type { FailureContext } from './failure-context.ts';
import { smallBudget, buildPromptContext } from '../prompts/failure-prompt-context.ts';

/** What an attempt is told: the task, the tests, and the places that it may be about. */
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
