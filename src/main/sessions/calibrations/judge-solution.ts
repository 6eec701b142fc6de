import type { CalibrationRun, CalibrationTask } from '@shared/calibration/calibration.ts';
import { isRightAnswer } from './right-answer.ts';
import type { ComparisonCheck } from '@shared/comparisons/comparison.ts';
import type { ChangeState } from '@shared/session/file-change-state.ts';
import { isTestFile } from '../../projects/facts/gather-project-facts.ts';

/** What a session left. */
export interface WorkDone {
  /** The last words of the agent. */
  readonly text: string;
  readonly changes: readonly Pick<ChangeState, 'path' | 'before'>[];
  readonly check: ComparisonCheck | null;
}

/** Whether a task was solved, and if not, why. What the agent says of its work does not count. */
export function judgeSolution(
  task: Pick<CalibrationTask, 'answer' | 'tests'>,
  { text, changes, check }: WorkDone,
): Pick<CalibrationRun, 'solved' | 'why'> {
  if (task.answer !== null) {
    const isRight = isRightAnswer(text, task.answer);
    return { solved: isRight, why: isRight ? null : 'the answer is wrong or missing' };
  }
  if (check === null) return { solved: null, why: 'there was no check' };
  if (check.passed !== true)
    return { solved: check.passed, why: check.passed === false ? 'the check fails' : check.summary };
  const isJudge = (path: string): boolean => task.tests.includes(path) || isTestFile(path);
  const changed = changes.find(({ path, before }) => before !== null && isJudge(path));
  return changed === undefined
    ? { solved: true, why: null }
    : { solved: false, why: `the check passes, but ${changed.path} was changed, which is a test` };
}
