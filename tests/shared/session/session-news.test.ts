import { describe, expect, it } from 'vitest';
import type { NewEvent } from '../../../src/shared/events/events.ts';
import { reduceSession } from '../../../src/shared/session/reducers/reduce-session.ts';
import { emptySession } from '../../../src/shared/session/session-state.ts';
import { countNeeds, hasUnseenEnd, hiddenNeeds, needOf, sortByNeed } from '../../../src/shared/session/session-news.ts';

const created = (groupId: string | null = null): NewEvent => ({
  type: 'session-created',
  logVersion: 4,
  sessionId: 's',
  appVersion: '0',
  title: 'A task',
  projectPath: null,
  workspace: { mode: 'scratch', path: '/w' },
  parentId: null,
  groupId,
});
const turn = (turnId: string): NewEvent => ({
  type: 'turn-started',
  turnId,
  messageId: `m-${turnId}`,
  assistant: undefined,
  cascade: [],
  limits: { maxUsd: null, maxSteps: 10, maxMinutes: 10, maxTokens: 1_000 },
  check: null,
});
const ended = (turnId: string, reason: 'done' | 'cancelled' = 'done'): NewEvent => ({
  type: 'turn-ended',
  turnId,
  reason,
  text: 'Done.',
  confidence: null,
  failure: null,
});
const stateAfter = (...events: readonly NewEvent[]) =>
  events.reduce(
    (state, event, index) => reduceSession(state, { ...event, v: 2, seq: index + 1, at: index }),
    emptySession,
  );

// Catches: a filter that hides work without a word, and a branch that counts as hidden below its talk.
describe('what a list of sessions hides', () => {
  it('counts what waits or works and is not shown, by itself or as a branch', () => {
    const task = (sessionId: string, status: 'idle' | 'running' | 'waiting') => ({ sessionId, status });
    const sessions = [
      task('a', 'waiting'),
      task('b', 'running'),
      task('c', 'running'),
      task('branch', 'running'),
      task('idle', 'idle'),
      { ...task('agent', 'running'), startedBy: 'b' },
    ];
    const shown = [{ sessionId: 'b' }, { sessionId: 'talk', branches: ['talk', 'branch'] }];
    expect(hiddenNeeds(sessions, shown)).toEqual({ answer: 1, working: 1, look: 0, nothing: 1 });
    expect(hiddenNeeds(sessions, sessions)).toMatchObject({ answer: 0, working: 0 });
  });
});

describe('a list of tasks', () => {
  it('are sorted by what they need of the user, and equal ones keep their order', () => {
    const task = (name: string, facts: Partial<Parameters<typeof needOf>[0]>) => ({
      name,
      status: 'idle' as const,
      ...facts,
    });
    const sorted = sortByNeed([
      task('old', {}),
      task('ended', { isUnseen: true }),
      task('works', { status: 'running' }),
      task('asks at its end', { isWaiting: true }),
      task('asks', { status: 'waiting' }),
      task('works, too', { status: 'running' }),
    ]);
    expect(sorted.map(({ name }) => name)).toEqual(['asks at its end', 'asks', 'works', 'works, too', 'ended', 'old']);
    const [agent, run] = [task('agent', { status: 'waiting' }), task('run', { status: 'running' })];
    expect(countNeeds([...sorted, { ...agent, startedBy: 's' }, { ...run, comparison: 'c' }])).toEqual({
      answer: 2,
      working: 2,
      look: 1,
      nothing: 1,
    });
  });

  it('are new from their end until somebody looked at it', () => {
    const work = [created(), turn('t1')] as const;
    expect(hasUnseenEnd(stateAfter(...work))).toBe(false);
    expect(hasUnseenEnd(stateAfter(...work, ended('t1')))).toBe(true);
    const looked = [...work, ended('t1'), { type: 'session-organized', seen: 't1' }] as const;
    expect(hasUnseenEnd(stateAfter(...looked))).toBe(false);
    // Another field of the same event does not forget it.
    expect(hasUnseenEnd(stateAfter(...looked, { type: 'session-organized', isPinned: true }))).toBe(false);
    expect(hasUnseenEnd(stateAfter(...looked, turn('t2'), ended('t2')))).toBe(true);
  });

  it('are no news when the user stopped them, and neither are runs of a comparison and copied turns', () => {
    expect(hasUnseenEnd(stateAfter(created(), turn('t1'), ended('t1', 'cancelled')))).toBe(false);
    expect(hasUnseenEnd(stateAfter(created('group'), turn('t1'), ended('t1')))).toBe(false);
    const copied: NewEvent = { type: 'history-copied', by: 'fork', sessionId: 'o', upToSeq: 3, changes: 'open' };
    expect(hasUnseenEnd(stateAfter(created(), turn('t1'), ended('t1'), copied))).toBe(false);
  });
});
