import type { CalibrationRun, CalibrationTask, KnownAnswer } from '@shared/calibration/calibration.ts';
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

/** Whether an answer is right. The same answer is always judged the same, and no model judges. */
export function isRightAnswer(answer: string, known: KnownAnswer): boolean {
  if (known.type === 'file') {
    const at = (path: string): number => placeOf(answer, path);
    const place = at(known.path);
    // The first file that it names counts: later ones may be examples of where it is not.
    return place !== -1 && known.others.every((other) => other === known.path || at(other) === -1 || at(other) > place);
  }
  const named = (name: string): boolean => placeOf(answer, name) !== -1;
  const wrong = known.others.filter((name) => !known.names.includes(name) && named(name));
  return known.names.every(named) && wrong.length <= 1;
}

/** Where a path or a name stands as a whole; -1: nowhere. */
function placeOf(text: string, name: string): number {
  for (let at = text.indexOf(name); at !== -1; at = text.indexOf(name, at + 1)) {
    const [before, after] = [text[at - 1] ?? ' ', text[at + name.length] ?? ' '];
    if (!/[\w/-]/u.test(before) && !/[\w-]/u.test(after)) return at;
    if (/[./]/u.test(before) && text.slice(Math.max(0, at - 2), at) === './') return at;
  }
  return -1;
}
