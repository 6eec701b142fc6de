import { changeStatus, type ChangeState } from '@shared/session/file-change-state.ts';
import { asides } from '@shared/session/asides.ts';
import type { SessionState, StepState, TurnState } from '@shared/session/session-state.ts';
import type { CountedKind, Judge, TaskOutcome } from '@shared/routing/outcomes.ts';
import type { TurnEndReason } from '@shared/events/turn-events.ts';
import { sha256Of } from '../../lib/sha256.ts';

/** The parts of a session's state that are used. */
export interface JudgedSession {
  readonly sessionId: string | null;
  readonly projectPath: string | null;
  readonly turns: readonly Pick<
    TurnState,
    'id' | 'seq' | 'startedAt' | 'endedAt' | 'waitedMs' | 'reason' | 'mode' | 'before' | 'after' | 'steps' | 'routing'
  >[];
  readonly steps: readonly Pick<StepState, 'turnId' | 'purpose' | 'stage' | 'where' | 'fails' | 'end'>[];
  readonly changes: SessionState['changes'];
}

type Turn = JudgedSession['turns'][number];

/** The outcomes of all turns of a session that its state still has. `versionOf`: of a model as it is now. */
export function outcomesOfSession(
  session: JudgedSession,
  versionOf: (model: string) => string,
): readonly TaskOutcome[] {
  return session.turns.flatMap((turn, at) => {
    const outcome = outcomeOf(session, { turn, next: session.turns[at + 1] ?? null, verdict: null }, versionOf);
    return outcome === null ? [] : [outcome];
  });
}

/** How a run of a comparison was judged. */
export interface RunVerdict {
  /** Null: nobody says so any more, because a verdict was changed. */
  readonly solved: boolean | null;
  /** How often the same way did the same task: all of them count as one task. */
  readonly repeat: number;
}

/** The outcome of a run of a comparison: its first turn. It has the same id as when the session itself is judged. */
export function outcomeOfRun(
  session: JudgedSession,
  { solved, repeat }: RunVerdict,
  versionOf: (model: string) => string,
): readonly TaskOutcome[] {
  const [turn, next = null] = session.turns;
  const verdict = { solved, by: 'comparison' } as const;
  const outcome = turn === undefined ? null : outcomeOf(session, { turn, next, verdict }, versionOf);
  return outcome === null ? [] : [{ ...outcome, ...(repeat === 1 ? {} : { weight: 1 / repeat }) }];
}

/** The file has no text of the person, so no path either. Work without a project has a key of its own. */
export function projectKey(projectPath: string | null): string {
  return projectPath === null ? '' : sha256Of(projectPath).slice(0, 16);
}

interface Place {
  readonly turn: Turn;
  readonly next: Turn | null;
  /** What judged it elsewhere. Null: its log does. */
  readonly verdict: Verdict | null;
}

interface Verdict {
  readonly solved: boolean | null;
  readonly by: Judge;
}

function outcomeOf(
  { sessionId, projectPath, steps, changes }: JudgedSession,
  { turn, next, verdict }: Place,
  versionOf: (model: string) => string,
): TaskOutcome | null {
  const kind = kindOf(turn);
  const own = steps.filter((step) => step.turnId === turn.id);
  const working = own.filter(({ purpose }) => !asides.has(purpose));
  const [first] = working;
  if (kind === null || first === undefined || turn.endedAt === null) return null;
  const changed = changes.filter((change) => touched(change, turn, next));
  const judged = verdict ?? judgedBy(turn, { changed, next });
  if (judged === null && !ownEnds.has(turn.reason ?? 'crashed')) return null;
  const isSolved = judged?.solved ?? null;
  const isWhole = own.length >= turn.steps;
  const hasPrice = isWhole && own.every(({ end }) => end !== null && end.costUsd !== null);
  const waited = turn.waitedMs ?? 0;
  return {
    id: sha256Of(`${sessionId ?? ''}\n${turn.id}`).slice(0, 24),
    at: turn.endedAt,
    project: projectKey(projectPath),
    language: languageOf(changed),
    kind,
    solved: isSolved,
    by: judged?.by ?? null,
    policy: turn.routing?.policy ?? (own.some(({ where }) => where === 'cloud') ? 'hybrid' : 'local'),
    first: { model: first.stage.model, version: versionOf(first.stage.model), where: first.stage.where },
    fails: first.fails ?? null,
    hasCloudTried: working.some(({ where }) => where === 'cloud'),
    usd: hasPrice ? own.reduce((sum, { end }) => sum + (end?.costUsd ?? 0), 0) : null,
    seconds: Math.max(0, turn.endedAt - turn.startedAt - waited) / 1000,
    work: worksOf(working, isSolved === true, versionOf).slice(0, 40),
  };
}

/** Null: a plan or a talk, which is no task, or it still runs. */
function kindOf({ mode, reason, before }: Turn): CountedKind | null {
  if (reason === null || mode === 'plan' || mode === 'chat' || reason === 'planned' || reason === 'waiting')
    return null;
  if (mode === 'ask' || reason === 'answered') return 'question';
  return before?.passed === false ? 'repair' : 'change';
}

/** Each model that made such a step. It solved it if it made the last of its kind and the task was solved. */
function worksOf(
  steps: readonly JudgedSession['steps'][number][],
  isSolved: boolean,
  versionOf: (model: string) => string,
): TaskOutcome['work'] {
  const last = new Map(steps.map(({ purpose, stage }) => [purpose, stage.model]));
  const keys = new Map(
    steps.map(({ purpose, stage }) => [`${stage.model}\n${purpose}`, { purpose, model: stage.model }]),
  );
  return [...keys.values()].map(({ purpose, model }) => {
    const made = steps.filter((step) => step.purpose === purpose && step.stage.model === model);
    const written = made.reduce<number | null>(
      (total, { end }) => (end === null ? total : (total ?? 0) + end.usage.output),
      null,
    );
    const solved = isSolved && last.get(purpose) === model;
    return { model, version: versionOf(model), purpose, solved, calls: made.length, written };
  });
}

interface Looked {
  /** The files that the turn changed. */
  readonly changed: readonly ChangeState[];
  readonly next: Turn | null;
}

/** What the person did with the change says most, then the check. Null: nobody judged it. */
function judgedBy(turn: Turn, { changed, next }: Looked): Verdict | null {
  const back = changed.find((change) => changeStatus(change) === 'undone');
  if (back !== undefined) return { solved: false, by: back.last.isUndo ? 'undone' : 'reverted' };
  const checked = wasSolved(turn);
  if (checked !== null) return { solved: checked, by: 'check' };
  if (turn.reason !== 'done' || changed.length === 0) return null;
  if (changed.every((change) => changeStatus(change) === 'reviewed')) return { solved: true, by: 'taken' };
  const again = next !== null && isSoon(turn, next) && changed.some((change) => touched(change, next, null));
  return again ? { solved: false, by: 'asked-again' } : null;
}

const soonMs = 30 * 60_000;

function isSoon(turn: Turn, next: Turn): boolean {
  return turn.endedAt !== null && next.startedAt - turn.endedAt < soonMs;
}

/** Whether a turn made one of the changes of a file. A turn that only set the file back did not. */
function touched({ seqs, last }: ChangeState, turn: Turn, next: Turn | null): boolean {
  const own = seqs.filter((seq) => seq > turn.seq && (next === null || seq < next.seq));
  const isBack = own.length === 1 && own[0] === last.seq && seqs[0] !== last.seq;
  return own.length > 0 && !(isBack && last.isUndo);
}

const failed: ReadonlySet<TurnEndReason> = new Set([
  'gave-up',
  'check-failed',
  'step-limit',
  'time-limit',
  'output-limit',
  'repeated-call',
  'alternating-calls',
  'repeated-rejection',
]);

const ownEnds: ReadonlySet<TurnEndReason> = new Set([...failed, 'done', 'answered']);

/** Null when no check judged the turn, or when somebody else ended it. */
function wasSolved({ reason, before, after }: Turn): boolean | null {
  if (reason === null || before?.passed !== false) return null;
  if (reason === 'done') return after?.passed === true ? true : null;
  return failed.has(reason) ? false : null;
}

function languageOf(changed: readonly ChangeState[]): string {
  const counts = new Map<string, number>();
  for (const { path } of changed) {
    const ending = /\.([a-z0-9]{1,6})$/iu.exec(path)?.[1]?.toLowerCase() ?? '';
    if (ending !== '') counts.set(ending, (counts.get(ending) ?? 0) + 1);
  }
  return [...counts].reduce((best, one) => (one[1] > best[1] ? one : best), ['', 0] as const)[0];
}
