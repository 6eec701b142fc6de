import { toFailure, AppError } from '@shared/errors.ts';
import { emptyMoney, reduceMoney, totalCostUsd } from '@shared/money/session-money.ts';
import type { MoneyState } from '@shared/money/session-money.ts';
import type { ChildState } from '@shared/session/agent-tree.ts';
import type { FenceHit } from '@shared/safety/fences.ts';
import type { TurnEnd } from '../../agent/turn/turn-baseline.ts';
import type { UserApprover } from '../../safety/approvals/user-approver.ts';
import { fencedIn } from '../../safety/fenced-text.ts';
import type { SessionFences } from '../../safety/session-fences.ts';
import type { ChildResult, ParentTurn } from '../../tools/agents/child-agents.ts';
import type { LiveJournal } from '../journal/live-journal.ts';
import type { NewSessionRequest } from '../open/new-session.ts';
import type { OpenSessionsOptions } from '../open/session-options.ts';
import { projectOf } from '../open/session-project.ts';
import { createChildApprover } from './child-approver.ts';
import { createChildBudget } from './child-budget.ts';
import { changesOf, spentSince } from './child-changes.ts';
import type { ChildPlan } from './child-options.ts';
import type { ChildAdmission } from './child-admission.ts';
import { cancelledChild } from './child-admission.ts';
import type { ChildPart } from './child-part.ts';
import { orNoted } from '../../lib/log.ts';

/** How children reach the sessions of this core. */
export interface ChildHost {
  readonly create: (request: NewSessionRequest, signal: AbortSignal) => Promise<string>;
  readonly open: (sessionId: string) => Promise<{
    readonly journal: LiveJournal;
    readonly approver: UserApprover;
  }>;
  /** Sends the message and waits for the end of its turn. */
  readonly run: (
    sessionId: string,
    text: string,
    how: ChildPlan & { readonly part: ChildPart },
    signal: AbortSignal,
  ) => Promise<TurnEnd>;
  readonly fences: (sessionId: string) => SessionFences | null;
  readonly cancel: (sessionId: string) => Promise<void>;
  readonly rest: (sessionId: string) => Promise<unknown>;
  /** Opens the session only for this work. */
  readonly briefly: <T>(sessionId: string, work: (journal: LiveJournal) => Promise<T>) => Promise<T>;
}

export type ChildOptions = Pick<OpenSessionsOptions, 'store' | 'bin' | 'settings' | 'userFiles' | 'budget' | 'agent'>;

export interface ParentSession {
  readonly journal: LiveJournal;
  readonly approver: UserApprover;
}

/** What the children of all sessions of the core share. */
export interface ChildServices {
  readonly options: ChildOptions;
  readonly host: ChildHost;
  readonly admission: ChildAdmission;
}

export interface ChildRun {
  readonly sessionId: string;
  readonly text: string;
  readonly plan: ChildPlan;
  readonly turn: ParentTurn;
  readonly signal: AbortSignal;
}

/** One run of a child to its end, with the event that records it. A cancel also records what was done so far. */
export async function runChild(shared: ChildServices, parent: ParentSession, run: ChildRun): Promise<ChildResult> {
  const { host } = shared;
  const { sessionId, plan, turn, signal } = run;
  const { journal, approver } = await host.open(sessionId);
  const before = journal.money();
  const [startedAt, stepsBefore] = [journal.now(), journal.state().totals.steps];
  const child = parent.journal.state().children?.find((one) => one.sessionId === sessionId);
  if (child === undefined) throw new AppError('internal', 'The agent that was started is not in the log.');
  const part: ChildPart = {
    budget: createChildBudget({
      parent: shared.options.budget({
        sessionId: parent.journal.sessionId,
        project: () => projectOf(shared.options, parent.journal.state()),
        ask: async () => null,
      }),
      parentTurnId: turn.turnId,
      parentCapUsd: turn.taskCapUsd,
      mostUsd: plan.run.maxUsd ?? null,
      spentUsd: totalCostUsd(before),
      log: sessionId,
    }),
    approver: createChildApprover({
      parent,
      child: { journal, approver, name: child.name },
      turnId: turn.turnId,
      toolCallId: turn.toolCallId,
    }),
  };
  const end = await runToEnd(shared, run, part);
  const spent = spentSince(before, journal.money());
  const changes = changesOf(journal);
  const fenced = await fencedEnd(host.fences(sessionId), end.text);
  await parent.journal.append({
    type: 'child-session-ended',
    turnId: turn.turnId,
    sessionId,
    name: child.name,
    toolCallId: turn.toolCallId,
    costUsd: spent.costUsd,
    usage: spent.usage,
    reason: end.reason,
    text: end.text,
    changedFiles: changes.length,
    ...(fenced.length === 0 ? {} : { fenced: [...fenced] }),
  });
  // A container holds memory, and the next message starts a new one.
  await host.rest(sessionId).catch(orNoted('An agent did not come to rest', undefined));
  if (signal.aborted) throw cancelledChild();
  return {
    child,
    reason: end.reason,
    text: end.text,
    seconds: Math.max(0, journal.now() - startedAt) / 1000,
    steps: journal.state().totals.steps - stepsBefore,
    tokens: spent.tokens,
    costUsd: spent.costUsd,
    changes,
  };
}

/** Never rejects: an error becomes the reason of the end. */
async function runToEnd(
  shared: ChildServices,
  { sessionId, text, plan, signal }: ChildRun,
  part: ChildPart,
): Promise<TurnEnd> {
  const { host } = shared;
  const info =
    plan.local === null
      ? null
      : await shared.options.agent.models
          .info(plan.local, signal)
          .catch(orNoted('The model of an agent was not looked up', null));
  const leave = await shared.admission.enterEngine(info?.provider ?? null, signal);
  if (leave === null || signal.aborted) {
    leave?.();
    return { reason: 'cancelled', text: 'Cancelled before it began.', confidence: null, failure: null };
  }
  const cancel = (): void => void host.cancel(sessionId).catch(orNoted('An agent was not stopped', undefined));
  signal.addEventListener('abort', cancel, { once: true });
  try {
    return await host.run(sessionId, text, { ...plan, part }, signal);
  } catch (error) {
    const failure = toFailure(error);
    const reason = signal.aborted ? 'cancelled' : 'error';
    return { reason, text: failure.message, confidence: null, failure };
  } finally {
    signal.removeEventListener('abort', cancel);
    leave();
  }
}

/** The fenced content in a child's text. Without fences the child never started, so there is none. */
async function fencedEnd(fences: SessionFences | null, text: string): Promise<readonly FenceHit[]> {
  if (fences === null) return [];
  return (await fencedIn(fences, text, new AbortController().signal)).hits;
}

/** Ends a child whose process was killed. Its own log has the cost. */
export async function settleChild({ host }: ChildServices, parent: ParentSession, child: ChildState): Promise<void> {
  const { sessionId, name } = child;
  const found = await host
    .briefly(sessionId, async (journal) => {
      // Only of its last run, because earlier ones were recorded.
      let money: MoneyState = emptyMoney;
      for await (const event of journal.read()) {
        if (event.type === 'turn-started') money = emptyMoney;
        money = reduceMoney(money, event);
      }
      return { ...spentSince(emptyMoney, money), changedFiles: changesOf(journal).length };
    })
    .catch(orNoted('What an agent cost and changed was not found out', null));
  await parent.journal.append({
    type: 'child-session-ended',
    sessionId,
    name,
    costUsd: found?.costUsd ?? null,
    usage: found?.usage ?? emptyMoney.usage,
    reason: 'crashed',
    text: 'Dewpoint ended while it worked. What it had done is kept.',
    changedFiles: found?.changedFiles ?? 0,
  });
}
