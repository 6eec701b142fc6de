import type { GateCheck } from '@shared/events/gate-check.ts';
import type { NewEvent } from '@shared/events/events.ts';
import { askReview } from './ask-review.ts';
import { isHard } from './change-findings.ts';
import { lintChanges } from './lint-changes.ts';
import { isWish } from './missing-wishes.ts';
import type { ChangesOverview } from './changes-overview.ts';
import { readChangesOverview } from './changes-overview.ts';
import { isSmall } from '../prompt/build-prompt.ts';
import type { LoopMemory, TaskWork, Worker } from '../turn/task-work.ts';
import { asksForChange } from '@shared/text/task-kind.ts';
import type { ActingTurn, Turn } from '../turn/turn.ts';
import type { Claim, TurnEnd } from '../turn/turn-baseline.ts';

export type GateOutcome =
  /** The work is accepted. `isDoubted`: an objection was not resolved. `isAnswer`: nothing was changed. */
  | {
      readonly type: 'passed';
      readonly isDoubted?: boolean;
      readonly isAnswer?: boolean;
      /** The model that reviewed and approved the work. */
      readonly approvedBy?: string;
    }
  /** The worker was told what is wrong and may continue. */
  | { readonly type: 'objected' }
  /** The same objection came a second time. Another model may continue, or the turn ends like this. */
  | { readonly type: 'refused'; readonly end: TurnEnd };

/**
 * Checks work that passed its success check: whether anything was changed, whether the change looks complete, whether
 * the project's linter has new findings, and, if the router finds it worth its price, whether a stronger model approves
 * it from a handoff. Throws `cancelled`.
 */
export async function passGate(work: TaskWork, worker: Worker, claim: Claim): Promise<GateOutcome> {
  const { turn, loop: memory } = work;
  const driver = worker.model.info.id;
  const look = await readChangesOverview(turn);
  const objection = objectionTo(turn, look, claim);
  if (objection !== null) {
    const key = `${driver} ${objection.findings.map(({ code, path }) => `${code} ${path ?? ''}`).join(' ')}`;
    const isAgain = memory.objectionsRaised.has(key);
    const mayPass = !objection.findings.some((one) => one.code === 'nothing-changed' || isHard(one)) || claim.isProven;
    const isNothing = objection.findings.every((one) => one.code === 'nothing-changed');
    if (!isAgain) {
      memory.objectionsRaised.add(key);
      await note(turn, objection);
      return { type: 'objected' };
    }
    // A large model that was asked once and still says that nothing needs a change is believed, unless it was to do
    // better than a change that was put back.
    if (isNothing && work.doubted === null && !isSmall(worker.model.info)) return { type: 'passed', isAnswer: true };
    if (!mayPass) return { type: 'refused', end: endOf(turn, look, { claim, objection }) };
    return { type: 'passed', isDoubted: true };
  }
  if (look.changed === 0 && !claim.isProven) return { type: 'passed', isAnswer: true };
  const linted = look.changed === 0 ? null : await passLint(turn, memory, { claim, driver });
  return linted ?? review(work, worker, { look, claim });
}

const wantsNote = /\b(?:note|remember|keep in mind|memory)\b/iu;

/** Null: nothing looks wrong. */
function objectionTo(
  turn: Pick<Turn, 'task' | 'progress'>,
  look: ChangesOverview,
  { isProven }: Claim,
): GateCheck | null {
  const said = { by: 'changes', verdict: 'redo', callId: null } as const;
  // What a connected tool did lies elsewhere, and so does a line that the task wanted noted.
  const { okConnected, proposedLines } = turn.progress;
  const isElsewhere = okConnected > 0 || (proposedLines > 0 && wantsNote.test(turn.task));
  if (look.changed === 0 && !isProven && !isElsewhere && asksForChange(turn.task)) {
    const text = 'Nothing was changed, although the task asks for a change.';
    const hint = 'Make the change with the tools. Where nothing is to be changed, say why.';
    return { ...said, text: `${text} ${hint}`, findings: [{ code: 'nothing-changed', path: null, text }] };
  }
  // If the check proves the work, it need not contain the words of the task.
  const doubts = isProven ? look.findings.filter((one) => !isWish(one)) : look.findings;
  if (doubts.length === 0) return null;
  const findings = doubts.slice(0, 10);
  const text = `The change is not whole:\n${findings.map((one) => `- ${one.text}`).join('\n')}\nPut it right, or say why it is meant.`;
  return { ...said, text, findings };
}

/** Null: the linter has no new findings. A linter that could not run is reported once per stage and blocks nothing. */
async function passLint(
  turn: ActingTurn & Pick<Turn, 'files' | 'found'>,
  { objectionsRaised }: LoopMemory,
  { claim, driver }: { readonly claim: Claim; readonly driver: string },
): Promise<GateOutcome | null> {
  if (objectionsRaised.has('lint not looked at')) return null;
  const check = await lintCheck(turn, 'Put it right, or say why it is meant.');
  if (check === null) return null;
  if (check.verdict === 'none') {
    objectionsRaised.add('lint not looked at');
    await note(turn, check);
    return null;
  }
  if (objectionsRaised.has(`${driver} lint`)) return { type: 'passed', isDoubted: !claim.isProven };
  objectionsRaised.add(`${driver} lint`);
  await note(turn, check);
  return { type: 'objected' };
}

/**
 * New findings of the linter in a recipe's work. A recipe cannot fix them, so they are told to the reader of the
 * result. Null: there is no linter, nothing was changed, nothing new was found, or the linter could not run.
 */
export async function lintOfRecipe(turn: ActingTurn & Pick<Turn, 'files' | 'found' | 'task'>): Promise<string | null> {
  const hasLinter = turn.found.facts?.facts.lint !== undefined;
  if (!hasLinter || (await readChangesOverview(turn)).changed === 0) return null;
  const check = await lintCheck(turn, '');
  if (check === null) return null;
  await note(turn, check);
  return check.verdict === 'redo' ? check.text : null;
}

/**
 * What the task explicitly asks for and a recipe's work lacks, checked before a review. Null: nothing. A recipe cannot
 * fix it.
 */
export async function wishesOfRecipe(
  turn: ActingTurn & Pick<Turn, 'files' | 'task'>,
): Promise<{ readonly text: string; readonly lacksTests: boolean } | null> {
  const look = await readChangesOverview(turn);
  const findings = look.findings.filter(isWish);
  if (findings.length === 0) return null;
  const text = findings.map((one) => one.text).join(' ');
  await note(turn, { by: 'changes', verdict: 'redo', text, findings, callId: null });
  return { text, lacksTests: findings.every(({ code }) => code === 'tests-missing') };
}

/**
 * Lets a stronger model review, with a handoff, the work of a recipe that is not sure of it, if the router finds that
 * worth its price. Null: no review applies.
 */
export async function reviewOfRecipe(work: TaskWork, worker: Worker, text: string): Promise<GateCheck | null> {
  const { turn } = work;
  const look = await readChangesOverview(turn);
  if (look.changed === 0) return null;
  const check = turn.progress.lastCheck?.check ?? null;
  const claim = { text, check, isProven: false, isDoubtful: true };
  const said = await askReview(work, worker, { look, claim });
  if (said !== null) await note(turn, said);
  return said;
}

/** Null: there is no linter, or it has no new findings. `hint`: what the author of the change should do. */
async function lintCheck(turn: ActingTurn & Pick<Turn, 'files' | 'found'>, hint: string): Promise<GateCheck | null> {
  const seen = await lintChanges(turn);
  if (seen === null) return null;
  const said = { by: 'lint', callId: null } as const;
  if (seen.skipped !== null) return { ...said, verdict: 'none', text: seen.skipped, findings: [] };
  if (seen.findings.length === 0) return null;
  const findings = seen.findings.map(({ path, line, text }) => {
    return { code: 'lint', path, text: `${path}:${line}: ${text}` };
  });
  const lines = findings.map((one) => `- ${one.text}`);
  if (seen.more > 0) lines.push(`- … and ${seen.more} more`);
  const text = `The project's own lint finds what was not there before:\n${lines.join('\n')}\n${hint}`.trimEnd();
  return { ...said, verdict: 'redo', text, findings };
}

async function review(
  work: TaskWork,
  worker: Worker,
  { look, claim }: { readonly look: ChangesOverview; readonly claim: Claim },
): Promise<GateOutcome> {
  const { turn, loop } = work;
  const check = await askReview(work, worker, { look, claim });
  if (check === null) return { type: 'passed' };
  await note(turn, check);
  if (check.verdict === 'pass') {
    const by = worker.reviewer;
    return by === null ? { type: 'passed' } : { type: 'passed', approvedBy: by.model.info.label };
  }
  if (check.verdict !== 'redo') return { type: 'passed' };
  const driver = worker.model.info.id;
  const isAgain = loop.redone.has(driver);
  loop.redone.add(driver);
  if (!isAgain) return { type: 'objected' };
  const end: TurnEnd = { reason: 'done', text: claim.text, confidence: 'unchecked', failure: null };
  return { type: 'refused', end };
}

async function note(turn: Pick<Turn, 'log'>, check: GateCheck): Promise<void> {
  const event: NewEvent = { type: 'gate-checked', ...check, findings: [...check.findings] };
  await turn.log.append(event);
}

const elsewhere = /\b(?:install|upgrade|update|build|download|publish)\b/iu;

/** Without changed files, work that ran or installed something counts as an answer; words alone do not. */
function endOf(
  turn: Pick<Turn, 'progress' | 'task'>,
  look: ChangesOverview,
  { claim, objection }: { readonly claim: Claim; readonly objection: GateCheck },
): TurnEnd {
  const rest = { confidence: null, failure: null };
  if (look.changed === 0 && turn.progress.okCommands > 0 && elsewhere.test(turn.task))
    return { ...rest, reason: 'answered', text: claim.text };
  const [first = ''] = objection.text.split('\n- ');
  const why = look.changed === 0 ? 'Nothing was changed, although the task asks for a change.' : first;
  return { ...rest, reason: 'gave-up', text: `${why} The model says: ${claim.text}`.trim() };
}
