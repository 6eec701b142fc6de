import { describe, expect, it } from 'vitest';
import { AppError, toFailure } from '../../../../src/shared/errors.ts';
import type { NewEvent, SessionEvent } from '../../../../src/shared/events/events.ts';
import { followTurn } from '../../../../src/main/hosts/text/follow-turn.ts';
import { runOptionsSchema } from '../../../../src/shared/session/run-options.ts';
import { commandContext } from '../../../fakes/command-context.ts';
import { createScriptedCore } from '../../../fakes/scripted-core.ts';

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
const started = (messageId: string, turnId = 'turn-2'): NewEvent => ({
  type: 'turn-started',
  turnId,
  messageId,
  check: null,
  cascade: [],
  limits: { maxSteps: 1, maxMinutes: 1, maxTokens: 1, maxUsd: null },
});

/** Sends a message to a session with the events of `before`. Its turn asks one more question. */
async function follow(before: readonly NewEvent[], isFirst = false) {
  const core = createScriptedCore([[started(`message-${before.length + 1}`), asked('new'), ended]]);
  const sessionId = core.createSession({ projectPath: null });
  for (const event of before) core.append(sessionId, event);
  const seen: { asked: string[]; answered: string[]; events: SessionEvent['type'][] } = {
    asked: [],
    answered: [],
    events: [],
  };
  core.replace({
    sessions: {
      result: () => new Promise(() => undefined),
      approve: ({ input }) => void seen.answered.push(input.approvalId),
    },
  });
  const { context } = commandContext(core);
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

describe('a message to an older session', () => {
  it('is followed from its own place, without old questions and events', async () => {
    const { seen, end } = await follow([asked('old'), answered('old')]);
    expect(seen.asked).toEqual(['new']);
    expect(seen.answered).toEqual(['new']);
    expect(seen.events).toEqual(['user-message-added', 'turn-started', 'approval-requested', 'turn-ended']);
    expect(end?.reason).toBe('done');
  });

  it('is followed from the beginning if the session was made for it', async () => {
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

  it('also asks what an earlier turn left open', async () => {
    expect((await follow([asked('old'), answered('old'), asked('open')])).seen.asked[0]).toBe('open');
  });

  // Catches: a terminal that asks for the answer which its own message has just given.
  it('does not ask the question of the agent that it answers', async () => {
    expect((await follow([kindOf('question', 'open')])).seen.asked).toEqual(['new']);
  });
});

const kindOf = (kind: string, approvalId: string): NewEvent => ({
  type: 'approval-requested',
  approvalId,
  toolCallId: 'tool',
  kind,
  subject: 'A question',
  sha256: 'a'.repeat(64),
});

describe('Ctrl-C, or a terminal that is closed', () => {
  // Bug: the turn was cancelled at its question, and the answer of the next day was taken for a new task.
  it.each([
    ['question', ['left q0 open']],
    ['network', ['cancelled']],
  ])('at a question of the kind %s has this effect', async (kind, effect) => {
    const core = createScriptedCore([[started('message-1'), kindOf(kind, 'q0')]]);
    const sessionId = core.createSession({ projectPath: null });
    const told: string[] = [];
    core.replace({
      sessions: {
        result: () => new Promise(() => undefined),
        approve: ({ input }) => {
          told.push(`left ${input.approvalId} ${JSON.stringify(input.values) === '{}' ? 'open' : 'answered'}`);
          core.append(sessionId, answered(input.approvalId));
          core.append(sessionId, { ...ended, reason: 'waiting' });
        },
        cancel: () => {
          told.push('cancelled');
          core.append(sessionId, { ...ended, reason: 'cancelled' });
        },
      },
    });
    const stop = new AbortController();
    const context = { ...commandContext(core).context, signal: stop.signal };
    await followTurn(context, await context.core(), {
      sessionId,
      isFirst: true,
      text: 'Go on.',
      options: runOptionsSchema.parse({ interactive: true }),
      onEvent: () => undefined,
      onTransient: () => undefined,
      approve: async () => {
        stop.abort();
        return null;
      },
      atCap: async () => null,
    });
    expect(told).toEqual(effect);
  });
});

describe('two questions at once', () => {
  async function scene(options: object, kinds: readonly string[]) {
    const core = createScriptedCore([[started('message-1'), ...kinds.map((kind, at) => kindOf(kind, `q${at}`))]]);
    const sessionId = core.createSession({ projectPath: null });
    const told: string[] = [];
    let isOpen = false;
    core.replace({
      sessions: {
        result: () => new Promise(() => undefined),
        approve: ({ input }) => {
          if (input.values?.own === 'x') throw new AppError('bad-input', 'Too short.');
          told.push(`taken ${input.approvalId}`);
          core.append(sessionId, answered(input.approvalId));
        },
      },
    });
    const { context } = commandContext(core);
    const client = await context.core();
    const follows = followTurn(context, client, {
      sessionId,
      isFirst: true,
      text: 'Go on.',
      options: runOptionsSchema.parse({ interactive: true, ...options }),
      onEvent: () => undefined,
      onTransient: () => undefined,
      onRefused: (error) => told.push(toFailure(error).message),
      approve: async ({ approvalId }, signal) => {
        expect(isOpen).toBe(false);
        isOpen = true;
        told.push(`asked ${approvalId}`);
        const isElsewhere = approvalId === 'q1' && kinds.length === 3;
        if (isElsewhere) {
          core.append(sessionId, answered('q1'));
          await new Promise<void>((resolve) => {
            if (signal.aborted) resolve();
            else signal.addEventListener('abort', () => resolve());
          });
        }
        await new Promise((resolve) => setImmediate(resolve));
        isOpen = false;
        if (approvalId === `q${kinds.length - 1}`) setTimeout(() => core.append(sessionId, ended), 20);
        const isFirst = told.filter((one) => one === 'asked q0').length === 1;
        return { answer: 'allow', values: { own: isFirst && approvalId === 'q0' ? 'x' : 'yes' } };
      },
      atCap: async () => null,
    });
    await follows;
    return told;
  }

  // Catches: two readers at one keyboard, an answer that was not taken and is asked for no more, and a question that
  // stays at the keyboard after it was answered in the window.
  it('are asked one after the other, and again only when an answer was refused', async () => {
    expect(await scene({}, ['question', 'question', 'question'])).toEqual([
      'asked q0',
      'Too short.',
      'asked q0',
      'taken q0',
      'asked q1',
      'asked q2',
      'taken q2',
    ]);
  });

  it('are asked under --approve only if the agent asks them', async () => {
    expect(await scene({ approve: 'deny' }, ['network', 'question'])).toEqual(['asked q1', 'taken q1']);
  });
});

describe('a message that the running turn did not take', () => {
  const next: readonly NewEvent[] = [
    { type: 'user-message-added', messageId: 'later', text: 'And this.', queued: true },
    ended,
    { type: 'message-delivered', messageId: 'later' },
    started('later', 'turn-3'),
    asked('of the next'),
    { ...ended, turnId: 'turn-3', text: 'Both done.' },
  ];

  /** What a conversation prints. With `isAlone`: what a caller sees who waits for one answer. */
  async function converse(script: readonly NewEvent[], isAlone = false) {
    const core = createScriptedCore([[started('message-1'), ...script]]);
    const sessionId = core.createSession({ projectPath: null });
    let asks = 0;
    // The core answers when no turn runs, which is at the second request here.
    const result = (): Promise<never> => {
      asks += 1;
      return asks === 1 ? new Promise(() => undefined) : Promise.reject(new Error('idle'));
    };
    core.replace({ sessions: { result } });
    const { context } = commandContext(core);
    const seen: { asked: string[]; between: string[] } = { asked: [], between: [] };
    const end = await followTurn(context, await context.core(), {
      sessionId,
      isFirst: true,
      text: 'Go on.',
      options: runOptionsSchema.parse({ interactive: true }),
      onEvent: () => undefined,
      onTransient: () => undefined,
      approve: async ({ approvalId }) => {
        seen.asked.push(approvalId);
        return null;
      },
      atCap: async () => null,
      ...(isAlone ? {} : { onNext: ({ text }) => void seen.between.push(text) }),
    });
    return { ...seen, end: end?.text ?? null };
  }
  it('is followed like any other in a conversation, with its end and its questions', async () => {
    expect(await converse(next)).toEqual({ asked: ['of the next'], between: ['Done.'], end: 'Both done.' });
  });

  it('is not followed for a caller that waits for one answer', async () => {
    expect(await converse(next, true)).toEqual({ asked: [], between: [], end: 'Done.' });
  });

  it('is waited for only while the session works', async () => {
    expect(await converse(next.slice(0, 2))).toEqual({ asked: [], between: ['Done.'], end: null });
  });
});
