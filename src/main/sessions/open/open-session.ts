import type { SessionRunner } from '../../agent/turn/session-runner.ts';
import type { UserApprover } from '../../safety/approvals/user-approver.ts';
import type { SessionFences } from '../../safety/session-fences.ts';
import type { Sandbox } from '../../sandbox/sandbox.ts';
import type { ChildPart } from '../children/child-part.ts';
import type { ChildSessions } from '../children/child-sessions.ts';
import type { RoutingSnapshot } from '../comparisons/routing-snapshot.ts';
import type { LiveJournal } from '../journal/live-journal.ts';

/** One session that is open in this core, with what it holds while it works. */
export interface OpenSession {
  readonly journal: LiveJournal;
  readonly approver: UserApprover;
  readonly agents: ReturnType<ChildSessions['of']>;
  /** What it has of its parent while it works for it; null: it works for a person. */
  child: ChildPart | null;
  fences: SessionFences | null;
  held: RoutingSnapshot | null;
  wanted: 'container' | 'read-only';
  /** What its sandbox hides, by the rules as they were when it was started. */
  masks: string;
  sandbox: Sandbox | null;
  runner: SessionRunner | null;
  /** One start at a time, so that two messages at once do not make two sandboxes. */
  starting: Promise<SessionRunner> | null;
  /** Stops that start: making an image can take minutes. */
  cancelStart: (() => void) | null;
  /** Gives the sandbox back when nobody has asked for anything for a while. */
  restTimer: NodeJS.Timeout | null;
  /** Persons who are in the sandbox. */
  occupants: number;
}

/** A container holds memory; the next message starts a new one in about a second. */
const REST_AFTER_MS = 15 * 60_000;

/** What a session that was just opened holds. */
export const atRest = {
  child: null,
  fences: null,
  held: null,
  masks: '[]',
  sandbox: null,
  runner: null,
  starting: null,
  cancelStart: null,
  restTimer: null,
  occupants: 0,
} as const;

export function isAtWork({ starting, runner }: OpenSession): boolean {
  return starting !== null || runner?.isRunning() === true;
}

export async function cancelSession(session: OpenSession | null): Promise<void> {
  session?.cancelStart?.();
  session?.runner?.cancel();
  await session?.runner?.idle();
}

export async function sessionIdle(session: OpenSession): Promise<void> {
  // Who started it gets the error.
  await session.starting?.catch(() => undefined);
  await session.runner?.idle();
}

export function restLater(session: OpenSession): void {
  if (session.restTimer !== null) clearTimeout(session.restTimer);
  session.restTimer = setTimeout(() => void rest(session), REST_AFTER_MS);
  session.restTimer.unref();
}

/** The journal stays open; who looks at the session sees no difference. */
export async function rest(session: OpenSession | null): Promise<void> {
  if (session === null) return;
  const { runner, sandbox } = session;
  if (isAtWork(session) || session.occupants > 0) return;
  session.runner = null;
  session.sandbox = null;
  await runner?.dispose();
  await sandbox?.dispose();
}

export async function closeSession(session: OpenSession): Promise<void> {
  if (session.restTimer !== null) clearTimeout(session.restTimer);
  // Who started it gets the error.
  await session.starting?.catch(() => undefined);
  await session.runner?.dispose();
  await session.sandbox?.dispose();
  await session.journal.close();
}
