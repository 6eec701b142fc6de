import type { Confidence } from '@shared/events/turn-events.ts';
import type { CheckResult } from '@shared/session/session-state.ts';
import { seenName } from '@shared/text/seen-text.ts';
import { asksForChange, asksForNoCode, wantsTests } from '@shared/text/task-kind.ts';
import { missingPackages, speaksOfFailure } from '../../recipes/fix/about-failures.ts';
import { endlessTests, endlessText } from '../../lib/endless/endless-tests.ts';
import { noProgramText, missingProgram, missingProgramHint } from '@shared/text/missing-program.ts';
import { runCheck, isWorse } from '../gate/run-check.ts';
import { isSmall } from '../prompt/build-prompt.ts';
import { withCheck } from '../prompt/harness-facts.ts';
import type { Trouble } from '../../routing/define.ts';
import type { Worker, WorkOutcome } from './task-work.ts';
import type { TurnBaseline, TurnEnd } from './turn-baseline.ts';
import type { Turn } from './turn.ts';
import { checkOfWrittenTests } from './written-tests.ts';

/** What leaves open whether a small model's change is right: tests that passed before say nothing about it. */
const open: readonly Confidence[] = ['unchecked', 'weak-tests', 'tests-pass'];

/**
 * Marks a change that a small local model wrote and no test judges as `proposed`. Without this, three of three such
 * changes of the starter model that counted as done were wrong.
 */
export function markProposed(turn: Turn, { before }: TurnBaseline, { model, stage }: Worker, end: TurnEnd): TurnEnd {
  const isOpen = end.confidence !== null && open.includes(end.confidence);
  const where = stage.strategy === 'loop' ? (turn.steps.trajectory().last?.where ?? stage.where) : stage.where;
  const isTested =
    before?.passed === false || (wantsTests(turn.task) && turn.progress.lastCheck?.check.passed === true);
  if (end.reason !== 'done' || !isOpen || where !== 'local' || isTested || !isSmall(model.info)) return end;
  return { ...end, confidence: 'proposed' };
}

/** Adds who approved the change. An approval counts for more than tests that leave room for doubt. */
export function approveEnd(end: TurnEnd, label: string): TurnEnd {
  const text = `${end.text}\n\n${label} reviewed the change and approves.`;
  return { ...end, text, confidence: 'reviewed' };
}

/** If the tests that the recipe wrote ran and passed, its work counts as tested, as in the loop. */
export function withOwnTests(
  { check }: TurnBaseline,
  { end, after }: { readonly end: TurnEnd; readonly after: CheckResult | null },
): TurnEnd {
  if (check !== null || after?.passed !== true || end.confidence !== 'unchecked') return end;
  return { ...end, text: `${end.text}\n\nThe tests that it wrote pass.`, confidence: 'weak-tests' };
}

export function doneEnd(text: string, work: TurnBaseline, after: CheckResult | null): TurnEnd {
  return {
    reason: 'done',
    text: withUnrelatedFailure(text, work, after),
    confidence: confidenceOf(work, after),
    failure: null,
  };
}

/** A check that failed before proves the work; one that passed before only says that nothing broke. */
function confidenceOf({ check, before }: TurnBaseline, after: CheckResult | null): Confidence {
  if (after?.passed !== true) return 'unchecked';
  if (check === null) return 'weak-tests';
  return before?.passed === false ? 'high' : 'tests-pass';
}

export function checkFailedEnd(text: string, work: TurnBaseline, after: CheckResult | null): TurnEnd {
  const said = `The model says that it is done, but \`${work.check?.command ?? 'the tests that it wrote'}\` still fails.`;
  const endless = endlessText(endlessTests(after?.summary ?? ''));
  // A check that passed before had its program: the change names one that is not there.
  const isOfChange = after === null || work.before?.passed === true;
  const missing = isOfChange ? null : missingProgram(after.exitCode, after.summary);
  if (missing !== null)
    return {
      reason: 'check-failed',
      text: `${noProgramText(nameOf(work), missing)} ${missingProgramHint} ${text}`.trim(),
      confidence: null,
      failure: null,
    };
  const why = [said, endless, text].filter((part) => part !== '').join(' ');
  return { reason: 'check-failed', text: why, confidence: null, failure: null };
}

/** The check of the work, as a sentence names it. */
const nameOf = ({ check }: TurnBaseline): string =>
  check === null ? 'The tests that it wrote' : `\`${check.command}\``;

export const holds = (after: CheckResult | null): boolean => after === null || after.passed || after.unrelated === true;

/** Tells the user that the check still fails, for a reason unrelated to the task. */
export function withUnrelatedFailure(text: string, work: TurnBaseline, after: CheckResult | null): string {
  if (after?.unrelated !== true) return text;
  const missing = missingProgram(after.exitCode, after.summary);
  if (missing !== null) {
    const said = noProgramText(nameOf(work), missing);
    return `${text}\n\nNo test was run: ${said} ${missingProgramHint}`.trim();
  }
  const missingPackage = work.found.sandbox.lacksPackages === true ? missingPackages(after.summary)[0] : undefined;
  if (missingPackage !== undefined) {
    const said = `${nameOf(work)} needs \`${seenName(missingPackage)}\`, and the packages of the project are not installed.`;
    return `${text}\n\nNo test was run: ${said} Install them with \`dewpoint projects prepare\`.`.trim();
  }
  return `${text}\n\n\`${work.check?.command}\` failed before, for something else, and fails no more than it did.`.trim();
}

/** Null: there is nothing to check by, or the check did not run before the work either. */
export async function checkAfter(turn: Turn, work: TurnBaseline): Promise<CheckResult | null> {
  if (work.check === null && work.canExecute && !work.isQuestion && turn.options.mode !== 'plan') {
    const written = await checkOfWrittenTests(turn);
    return written === null ? null : runCheck(turn, written, 'after');
  }
  if (work.check === null || work.before === null) return null;
  const { before } = work;
  return runCheck(turn, work.check, 'after', (after) => before.unrelated === true && !isWorse(before, after));
}

/** Where the work stops for the person after files were changed, its end says what the check makes of them. */
export async function checkedText(turn: Turn, work: TurnBaseline, text: string): Promise<string> {
  const { okWrites, lastCheck } = turn.progress;
  if (okWrites === 0) return text;
  const after = lastCheck?.okWrites === okWrites ? lastCheck.check : await checkAfter(turn, work);
  if (after === null) return withCheck(text, 'none was run on the files that changed.');
  const command = work.check === null ? 'the test run of what it wrote' : `\`${work.check.command}\``;
  if (after.passed) return withCheck(text, `${command} passes with the files as they are now.`);
  const how = after.unrelated === true ? 'fails as it did before the work' : 'fails with the files as they are now';
  return withCheck(text, `${command} ${how}.`);
}

/**
 * Whether the check of the project judges this task. A requested check always does. A large model that says it is done
 * without a change is believed unless the words ask for one; before the work, only words that ask for none count.
 */
export function isJudgedByCheck(
  { task, options, given }: Pick<Turn, 'task' | 'options' | 'given'>,
  isBelieved: boolean,
): boolean {
  if (given.answers?.isOff === true) return false;
  if (options.check !== null || asksForChange(task) || speaksOfFailure(task)) return true;
  return !isBelieved && !asksForNoCode(task);
}

export function outcomeOfEnd(end: TurnEnd): WorkOutcome {
  return { type: 'ended', end };
}

export function gaveUp(cause: Trouble['cause'], text: string): WorkOutcome {
  return { type: 'gave-up', cause, end: { reason: 'gave-up', text, confidence: null, failure: null } };
}

/** Whether a tool changed files or a command ran, so that a task that asks for no change is still judged. */
export const hasChanged = ({ progress }: Pick<Turn, 'progress'>): boolean =>
  progress.okWrites + progress.okCommands > 0;
