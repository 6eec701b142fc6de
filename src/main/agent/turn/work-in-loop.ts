import type { CheckResult } from '@shared/session/session-state.ts';
import type { Decision } from '../../routing/define.ts';
import { isSmall } from '../prompt/build-prompt.ts';
import { passGate } from '../gate/pass-gate.ts';
import { loopStep } from '../loop/loop-step.ts';
import {
  approveEnd,
  markProposed,
  checkAfter,
  checkedText,
  doneEnd,
  outcomeOfEnd,
  hasChanged,
  holds,
  isJudgedByCheck,
  checkFailedEnd,
} from './judge-work.ts';
import type { TaskWork, Worker, WorkOutcome } from './task-work.ts';
import type { TurnEnd } from './turn-baseline.ts';

const goesOn: WorkOutcome = { type: 'goes-on' };

/** Makes one step of the loop, and judges the work if the model says that it is done. Throws `cancelled`. */
export async function workInLoop(work: TaskWork, worker: Worker, decision: Decision): Promise<WorkOutcome> {
  const { turn, known } = work;
  const outcome = await loopStep(work, worker, decision);
  if (outcome === null) return goesOn;
  const none = { confidence: null, failure: null } as const;
  switch (outcome.type) {
    case 'stopped':
      return { type: 'stopped', stop: outcome.stop };
    case 'gave-up': {
      const { reason, text, failure, cause } = outcome;
      return { type: 'gave-up', cause, end: { reason, text, confidence: null, failure } };
    }
    case 'incomplete':
      return outcomeOfEnd({ reason: 'incomplete', text: outcome.text, confidence: null, failure: outcome.failure });
    case 'waiting':
      return outcomeOfEnd({ ...none, reason: 'waiting', text: await checkedText(turn, known, outcome.text) });
    case 'complete':
      if (turn.options.mode === 'plan') return outcomeOfEnd({ ...none, reason: 'planned', text: outcome.text });
      // A check rules only a task that asked for code, or that changed some.
      if (!hasChanged(turn) && (known.isQuestion || !isJudgedByCheck(turn, !isSmall(worker.model.info))))
        return outcomeOfEnd({ ...none, reason: 'answered', text: outcome.text });
      return judged(work, worker, outcome.text);
    default:
      return outcome satisfies never;
  }
}

/**
 * The model says that it is done. When the check fails, it sees the output and gets one more try; after a second failure
 * it gives up.
 */
async function judged(work: TaskWork, worker: Worker, text: string): Promise<WorkOutcome> {
  const { turn, known, loop } = work;
  const after = await checkAfter(turn, known);
  if (!holds(after)) {
    const { id } = worker.model.info;
    const isSecond = loop.objectedTo === id;
    loop.objectedTo = id;
    return isSecond ? { type: 'gave-up', cause: 'checks', end: checkFailedEnd(text, known, after) } : goesOn;
  }
  const outcome = await gated(work, worker, { done: doneEnd(text, known, after), after });
  return outcome.type === 'ended' ? outcomeOfEnd(markProposed(turn, known, worker, outcome.end)) : outcome;
}

/** How the turn ends, given everything known now; or the loop continues with an objection. */
async function gated(
  work: TaskWork,
  worker: Worker,
  { done, after }: { readonly done: TurnEnd; readonly after: CheckResult | null },
): Promise<WorkOutcome> {
  const claim = { text: done.text, check: after, isProven: done.confidence === 'high' };
  const outcome = await passGate(work, worker, claim);
  switch (outcome.type) {
    case 'passed':
      if (outcome.isAnswer === true) return outcomeOfEnd({ ...done, reason: 'answered', confidence: null });
      if (outcome.approvedBy !== undefined && done.confidence !== 'high')
        return outcomeOfEnd(approveEnd(done, outcome.approvedBy));
      return outcomeOfEnd(outcome.isDoubted === true ? { ...done, confidence: 'unchecked' } : done);
    case 'objected':
      return goesOn;
    case 'refused':
      return { type: 'gave-up', cause: 'checks', end: outcome.end };
    default:
      return outcome satisfies never;
  }
}
