import type { SessionRunner } from '../../agent/turn/session-runner.ts';
import type { UserApprover } from '../../safety/approvals/user-approver.ts';
import type { SessionFences } from '../../safety/session-fences.ts';
import type { Sandbox } from '../../sandbox/sandbox.ts';
import type { ChildPart } from '../children/child-part.ts';
import type { ChildSessions } from '../children/child-sessions.ts';
import { abortable } from '../../lib/async/abort.ts';
import { orNoted } from '../../lib/log.ts';
import type { RoutingSnapshot } from '../comparisons/routing-snapshot.ts';
import type { LiveJournal } from '../journal/live-journal.ts';
import type { SavedCalls } from './saved-calls.ts';
import type { ComputingPlace } from './start-session-sandbox.ts';

/** What the runner of a session was made with. */
export interface RunnerParts {
  /** The key of the project. */
  readonly project: string | null;
  /** Those of the sandbox. */
  readonly masks: string;
  /** Whether talks may compute. */
  readonly computes: boolean;
  /** Where they do, away from the files of a project. */
  readonly computing: ComputingPlace | null;
}

/** A session that is open in this core, with everything that it holds while it works. */
export interface OpenSession {
  readonly journal: LiveJournal;
  readonly approver: UserApprover;
  readonly agents: ReturnType<ChildSessions['of']>;
  readonly savedCalls: SavedCalls;
  /** The budget and approver of its parent while it works for it. Null: it works for the user. */
  child: ChildPart | null;
  fences: SessionFences | null;
  /** Ends when what later sessions have to know is kept. Never rejects. */
  remembering: Promise<void>;
  held: RoutingSnapshot | null;
  wanted: 'container' | 'read-only';
  madeWith: RunnerParts;
  sandbox: Sandbox | null;
  runner: SessionRunner | null;
  /** The running start, so that two messages at once do not start two sandboxes. Building an image can take minutes. */
  starting: { readonly runner: Promise<SessionRunner>; readonly cancel: () => void } | null;
  /** Releases the sandbox when nothing was asked for a while. */
  restTimer: NodeJS.Timeout | null;
  /** How many people use the sandbox directly. */
  occupants: number;
}

/** A container holds memory, and the next message starts a new one in about a second. */
const REST_AFTER_MS = 15 * 60_000;

/** The state of a session that was just opened. */
export const atRest = {
  child: null,
  fences: null,
  remembering: Promise.resolve(),
  held: null,
  madeWith: { project: null, masks: '[]', computes: false, computing: null },
  sandbox: null,
  runner: null,
  starting: null,
  restTimer: null,
  occupants: 0,
} as const;

export function isAtWork({ starting, runner }: OpenSession): boolean {
  return starting !== null || runner?.isRunning() === true;
}

export async function cancelSession(session: OpenSession | null): Promise<void> {
  session?.starting?.cancel();
  session?.runner?.cancel();
  await session?.runner?.idle();
}

export async function sessionIdle(session: OpenSession): Promise<void> {
  // The caller of the start gets its error.
  await session.starting?.runner.catch(() => undefined);
  await session.runner?.idle();
}

export function restLater(session: OpenSession): void {
  if (session.restTimer !== null) clearTimeout(session.restTimer);
  session.restTimer = setTimeout(() => void rest(session), REST_AFTER_MS);
  session.restTimer.unref();
}

/** The journal stays open, so views of the session do not change. False: it works, or a person uses its sandbox. */
export async function rest(session: OpenSession | null): Promise<boolean> {
  if (session === null) return true;
  const { runner, sandbox, madeWith } = session;
  if (isAtWork(session) || session.occupants > 0) return false;
  session.runner = null;
  session.sandbox = null;
  session.madeWith = { ...madeWith, computing: null };
  await session.remembering;
  await runner?.dispose();
  await sandbox?.dispose();
  await madeWith.computing?.dispose();
  return true;
}

/**
 * Keeps what the turn leaves behind. `learned`: what the router keeps of it. Call it at the end of a turn, while the
 * sandbox is there: the session does not close before all of it is written.
 */
export function rememberTurn(session: OpenSession, learned: Promise<unknown>, signal: AbortSignal): Promise<void> {
  // Otherwise, the next session of the project reads the log of this one.
  const fences = session.fences?.remember?.(signal).catch(() => undefined);
  const noted = learned.catch(orNoted('Nothing was learned from a turn', undefined));
  session.remembering = Promise.all([noted, fences]).then(() => undefined);
  return session.remembering;
}

/**
 * Leaves the open questions of the agent for later: their turn ends as waiting, and the next message answers them.
 * False: none was open.
 */
export function leaveQuestions({ journal, approver }: OpenSession): boolean {
  const open = journal.state().approvals.filter(({ kind, child }) => kind === 'question' && child === undefined);
  return open.map(({ approvalId }) => approver.answer({ approvalId, answer: 'allow' })).includes(true);
}

/** A turn that waits for the person ends within this time when nobody waits with it. */
const leaveWithinMs = 5_000;

export async function closeSession(session: OpenSession): Promise<void> {
  if (session.restTimer !== null) clearTimeout(session.restTimer);
  // The caller of the start gets its error.
  await session.starting?.runner.catch(() => undefined);
  // A question is no work to be cancelled: it waits for the person, who may come back in days.
  session.approver.setInteractive(false);
  if (leaveQuestions(session))
    await abortable(sessionIdle(session), AbortSignal.timeout(leaveWithinMs)).catch(
      orNoted('A question was not left open', undefined),
    );
  await session.runner?.dispose();
  await session.remembering;
  await session.sandbox?.dispose();
  await session.madeWith.computing?.dispose();
  await session.journal.close();
}
