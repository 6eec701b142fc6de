import { isRightAnswer } from '../../calibrations/right-answer.ts';
import type { Comparison, ComparisonCheck, ComparisonRun } from '@shared/comparisons/comparison.ts';
import type { RunResult } from '@shared/session/run-result.ts';
import type { SessionState } from '@shared/session/session-state.ts';
import { readLastWords } from '../../log/whole-texts.ts';
import type { OpenSessions } from '../../open/open-sessions.ts';
import type { SessionStore } from '../../store/session-store.ts';
import { layTests, runCheck } from '../check-run.ts';
import { taskOf } from '../options-of-run.ts';
import { startOfRun } from './first-files.ts';

interface JudgeOptions {
  readonly home: string;
  readonly sessions: OpenSessions;
  readonly sessionStore: SessionStore;
  readonly now: () => number;
}

interface EndedRun {
  readonly comparison: Comparison;
  readonly run: ComparisonRun;
  readonly sessionId: string;
  readonly state: SessionState;
  readonly result: RunResult;
}

/**
 * Whether the task of a run is solved: its check decides, or its known answer, whatever the agent says. Null: nothing
 * judges it, as an answer to a task without a check of its own. `why`: what hindered the check, which is the doing of the agent.
 */
export async function judgeRun(
  options: JudgeOptions,
  ended: EndedRun,
  signal: AbortSignal,
): Promise<{ readonly check: ComparisonCheck | null; readonly why: string | null }> {
  const { comparison, run, sessionId, state, result } = ended;
  const { input } = comparison;
  const task = taskOf(input, run);
  if (task.answer !== undefined) {
    const words = await readLastWords(await options.sessionStore.view(sessionId));
    const passed = isRightAnswer(words, task.answer);
    const summary = passed ? 'The answer is right.' : 'The answer is wrong or missing.';
    return { check: afterTheLimit(result, { command: 'known answer', passed, seconds: 0, summary }), why: null };
  }
  const own = task.hidden?.command ?? task.check ?? (input.tasks.length === 1 ? input.check : undefined);
  // Tests say nothing about words: a set may have questions beside its fixes.
  const usual = isAnswer(state) ? undefined : (input.check ?? result.check?.command);
  const command = own ?? usual ?? null;
  if (command === null) return { check: null, why: null };
  const tests = await layTests(task, startOfRun(options, comparison, run), state);
  const hindrance = typeof tests === 'string' ? tests : null;
  const ran =
    hindrance === null
      ? await runCheck(
          { sandboxes: options.sessions.sandboxes, now: options.now, signal },
          { sessionId, command, tests: task.hidden?.tests },
        )
      : { command, passed: false, seconds: 0, summary: hindrance };
  // What the agent did can be taken over as it is, and a check may say nothing about that.
  if (task.hidden === undefined && typeof tests === 'function') await tests();
  return { check: afterTheLimit(result, ran), why: hindrance };
}

/** Whether the work ended as an answer, so that no file was changed for the task. */
function isAnswer({ turns }: SessionState): boolean {
  return turns.at(-1)?.reason === 'answered';
}

/** All runs share the limit, so that it is used up says nothing of the way that met it. */
function afterTheLimit({ status }: RunResult, check: ComparisonCheck): ComparisonCheck {
  const isCut = status === 'cap' && check.passed === false;
  return isCut ? { ...check, passed: null, summary: 'The spending limit ended the run.' } : check;
}
