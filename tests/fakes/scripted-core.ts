import { hasUnseenEnd } from '@shared/session/session-news.ts';
import { waitingTurn } from '@shared/session/waiting-turn.ts';
import { foldStepCosts } from '../../src/shared/money/step-costs.ts';
import { AppError } from '@shared/errors.ts';
import { readPrograms } from '../../src/main/sessions/history/read-programs.ts';
import type { NewEvent, SessionEvent, Transient } from '@shared/events/events.ts';
import { emptyMoney, reduceMoney, totalCostUsd } from '@shared/money/session-money.ts';
import { reduceSession } from '@shared/session/reducers/reduce-session.ts';
import { hasNoFolder } from '@shared/projects/project-keys.ts';
import { calledIn } from '../../src/main/sessions/store/stored-summary.ts';
import { emptySession, sessionStatus, usualPlace } from '@shared/session/session-state.ts';
import type { NewSessionRequest } from '../../src/main/sessions/open/new-session.ts';
import type { FollowedLog, LogPush } from '../../src/main/sessions/open/session-stream.ts';
import { sessionStream } from '../../src/main/sessions/open/session-stream.ts';
import { createFakeHandlers, emptyHandlers } from './fake-handlers.ts';
import type { FakeHandlers } from './fake-handlers.ts';
import { readHistory } from '../../src/main/sessions/history/read-history.ts';
import type { SessionState } from '@shared/session/session-state.ts';
import type { SessionSummary } from '@shared/contract/sessions-contract.ts';

interface ScriptedRequest extends Pick<NewSessionRequest, 'projectPath' | 'title'> {
  /** The key of a project. */
  readonly project?: string | null | undefined;
}

/**
 * A core without an engine, a disk or a sandbox. It answers each message with the next list of events of its script.
 */
export interface ScriptedCore extends FakeHandlers {
  /** Begins a session and returns its id. */
  createSession(request: ScriptedRequest): string;
  /** Appends to a session's log, as a turn would. */
  append(sessionId: string, event: NewEvent): void;
  push(sessionId: string, transient: Transient): void;
  /** Decides which project a session belongs to. Without it, its folder does. */
  lookUpProjects(projectOf: (state: SessionState) => string | null): void;
  /** Sets the time from which the next event is stamped, in milliseconds since 1970. */
  setTime(at: number): void;
  /** The number of followers of a session, or of all sessions. */
  readonly listeners: (sessionId?: string) => number;
}

interface Held {
  readonly events: SessionEvent[];
  readonly listeners: Set<(push: LogPush) => void | Promise<void>>;
}

export function createScriptedCore(script: readonly (readonly NewEvent[])[] = []): ScriptedCore {
  const sessions = new Map<string, Held>();
  const answers = [...script];
  let now = 1_700_000_000_000;
  let projectOf = ({ projectPath, project = null }: SessionState): string | null => projectPath ?? project;
  const held = (sessionId: string): Held => {
    const found = sessions.get(sessionId);
    if (found === undefined) throw new AppError('not-found', `The session ${sessionId} was not found.`);
    return found;
  };
  const append = (sessionId: string, event: NewEvent): void => {
    const { events, listeners } = held(sessionId);
    now += 250;
    const stamped: SessionEvent = { ...event, v: 2, seq: events.length + 1, at: now };
    events.push(stamped);
    for (const listener of listeners) void listener({ type: 'event', event: stamped });
  };
  const stateOf = (sessionId: string) => held(sessionId).events.reduce(reduceSession, emptySession);
  const moneyOf = (sessionId: string) => held(sessionId).events.reduce(reduceMoney, emptyMoney);
  const summary = (sessionId: string): SessionSummary => {
    const state = stateOf(sessionId);
    const isRunning = sessionStatus(state) === 'running';
    const isAsking = state.approvals.length > 0 || state.cap !== null;
    const { title, projectPath, createdAt, lastAt, totals } = state;
    return {
      sessionId,
      title,
      projectPath,
      project: projectOf(state),
      createdAt,
      updatedAt: lastAt,
      steps: totals.steps,
      costUsd: totalCostUsd(moneyOf(sessionId)),
      status: !isRunning ? 'idle' : isAsking ? 'waiting' : 'running',
      lastReason: state.turns.at(-1)?.reason ?? null,
      ...(!isRunning && waitingTurn(state) !== null ? { isWaiting: true } : {}),
      ...(!isRunning && waitingTurn(state) === null && hasUnseenEnd(state) ? { isUnseen: true } : {}),
      ...(state.branchOf === undefined ? {} : { branchOf: state.branchOf }),
      ...(state.tree?.by === undefined ? {} : { startedBy: state.tree.by.sessionId }),
      ...(state.organized ?? usualPlace),
      ...calledIn(state, moneyOf(sessionId)),
    };
  };
  const createSession: ScriptedCore['createSession'] = ({ projectPath, title, project: key = null }) => {
    const sessionId = `session-${sessions.size + 1}`;
    sessions.set(sessionId, { events: [], listeners: new Set() });
    const workspace = { mode: 'in-place' as const, path: projectPath ?? '/workspace' };
    const named = { logVersion: 4, sessionId, appVersion: '0', title: title ?? 'A scripted session' };
    const project = key !== null && hasNoFolder(key) ? { project: key.replace('project:', '') } : {};
    const from = { parentId: null, groupId: null, projectPath, ...project };
    append(sessionId, { type: 'session-created', ...named, ...from, workspace });
    return sessionId;
  };
  const follow = (sessionId: string): FollowedLog => ({
    state: () => stateOf(sessionId),
    subscribe(fromSeq, listener) {
      const { events, listeners } = held(sessionId);
      for (const event of events.slice(fromSeq - 1)) void listener({ type: 'event', event });
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
  });
  const fake = createFakeHandlers(emptyHandlers, {
    sessions: {
      create: ({ input }) => ({ sessionId: createSession(input) }),
      send: ({ input: { sessionId, text } }) => {
        const messageId = `message-${held(sessionId).events.length}`;
        append(sessionId, { type: 'user-message-added', messageId, text, queued: false });
        for (const event of answers.shift() ?? []) append(sessionId, event);
        return { messageId, queued: false };
      },
      programs: ({ input: { sessionId } }) => {
        const read = async function* (fromSeq: number) {
          yield* held(sessionId).events.slice(fromSeq - 1);
        };
        return readPrograms({ state: stateOf(sessionId), read });
      },
      events: ({ input, signal }) => sessionStream(async () => follow(input.sessionId), input.fromSeq, signal),
      list: () => [...sessions.keys()].map(summary),
      find: ({ input }) => summary(input.id),
      show: ({ input: { sessionId } }) => ({ state: stateOf(sessionId), money: moneyOf(sessionId) }),
      history: ({ input: { sessionId, place } }) => {
        const read = async function* (fromSeq: number): AsyncIterable<SessionEvent> {
          yield* held(sessionId).events.slice(fromSeq - 1);
        };
        return readHistory({ marks: [{ seq: 0, offset: 0 }], read }, place);
      },
    },
    stepCosts: ({ input }) => {
      const fold = foldStepCosts();
      for (const event of held(input.sessionId).events) fold.add(event);
      return fold.costs({ model: 'sky/model', price });
    },
  });
  return {
    ...fake,
    createSession,
    append,
    lookUpProjects: (find) => {
      projectOf = find;
    },
    setTime(at) {
      now = at;
    },
    push(sessionId, transient) {
      for (const listener of held(sessionId).listeners) void listener({ type: 'transient', transient });
    },
    listeners: (sessionId) =>
      sessionId === undefined
        ? [...sessions.values()].reduce((count, session) => count + session.listeners.size, 0)
        : held(sessionId).listeners.size,
  };
}

const price = { input: 3, output: 15, source: 'test', date: '2026-11-21' } as const;
