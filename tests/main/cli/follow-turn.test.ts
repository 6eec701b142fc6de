import { describe, expect, it } from 'vitest';
import type { NewEvent, SessionEvent } from '../../../src/shared/events.ts';
import { followTurn } from '../../../src/main/cli/follow-turn.ts';
import { runOptionsSchema } from '../../../src/shared/run-options.ts';
import { commandContext } from '../../fakes/command-context.ts';
import { createScriptedCore } from '../../fakes/scripted-core.ts';

const asked = (approvalId: string): NewEvent => ({
  type: 'approval-requested',
  approvalId,
  toolCallId: 'tool',
  kind: 'network',
  subject: 'pip install x',
  sha256: 'a'.repeat(64),
  hosts: ['files.example.org'],
});
const answered = (approvalId: string): NewEvent => ({
  type: 'approval-answered',
  approvalId,
  answer: 'allow',
  by: 'person',
});
const ended: NewEvent = {
  type: 'turn-ended',
  turnId: 'turn-2',
  reason: 'done',
  text: 'Done.',
  confidence: null,
  failure: null,
};
const started = (messageId: string): NewEvent => ({
  type: 'turn-started',
  turnId: 'turn-2',
  messageId,
  plan: false,
  criterion: null,
  ladder: [],
  limits: { maxSteps: 1, maxMinutes: 1, maxTokens: 1, maxUsd: null },
});

/** A message to a session in which `before` has happened; its turn asks one question more. */
async function follow(before: readonly NewEvent[], isFirst = false) {
  const core = createScriptedCore([[started(`message-${before.length + 1}`), asked('new'), ended]]);
  const sessionId = await core.createSession({ projectPath: null }, new AbortController().signal);
  for (const event of before) core.append(sessionId, event);
  const seen: { asked: string[]; answered: string[]; events: SessionEvent['type'][] } = {
    asked: [],
    answered: [],
    events: [],
  };
  const { context } = commandContext({
    ...core,
    result: () => new Promise(() => undefined),
    approve: async (_session, approvalId) => void seen.answered.push(approvalId),
  });
  const end = await followTurn(context, await context.core(), {
    sessionId,
    isFirst,
    text: 'Go on.',
    options: runOptionsSchema.parse({ interactive: true }),
    onEvent: ({ type }) => seen.events.push(type),
    onTransient: () => undefined,
    approve: async ({ approvalId }) => {
      seen.asked.push(approvalId);
      return { answer: 'deny' };
    },
    atCap: async () => null,
  });
  return { seen, end };
}

describe('a message to a session that has a past', () => {
  it('is followed from where it stands: what was answered is not asked again, what was shown not shown again', async () => {
    const { seen, end } = await follow([asked('old'), answered('old')]);
    expect(seen.asked).toEqual(['new']);
    expect(seen.answered).toEqual(['new']);
    expect(seen.events).toEqual(['user-message-added', 'turn-started', 'approval-requested', 'turn-ended']);
    expect(end?.reason).toBe('done');
  });

  it('is told from the beginning where the session was made for it', async () => {
    const { seen } = await follow([], true);
    expect(seen.events).toEqual([
      'session-created',
      'user-message-added',
      'turn-started',
      'approval-requested',
      'turn-ended',
    ]);
    expect(seen.asked).toEqual(['new']);
  });

  it('asks what a turn before it still waits to be told', async () => {
    expect((await follow([asked('old'), answered('old'), asked('open')])).seen.asked).toEqual(['open', 'new']);
  });
});
