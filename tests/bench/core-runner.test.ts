import { describe, expect, it } from 'vitest';
import type { SessionEvent } from '@shared/events/events.ts';
import type { RunOptions } from '@shared/session/run-options.ts';
import type { RunResult } from '@shared/session/run-result.ts';
import { createFakeHandlers } from '../fakes/fake-handlers.ts';
import { createCoreRunner } from '../../bench/lib/core-runner.ts';
import { aResult, progressed, turnEnded } from './bench-kit.ts';

const task = {
  projectPath: '/tmp/project',
  prompt: 'Fix the failing test.',
  check: 'pytest',
  model: 'a/b',
  strategy: 'recipe',
  seed: 4,
  maxMinutes: 2,
} as const;

function fakeCore(events: readonly SessionEvent[], result: RunResult) {
  const sent: RunOptions[] = [];
  const calls: string[] = [];
  let cancelled = (): void => undefined;
  const fake = createFakeHandlers({
    sessions: {
      create: () => ({ sessionId: 's1' }),
      events: async function* ({ signal }) {
        signal.addEventListener('abort', () => calls.push('unsubscribe'));
        yield { type: 'events', events };
      },
      send: ({ input }) => {
        sent.push(input.options);
        return { messageId: 'm1', queued: false };
      },
      result: () => result,
      cancel: () => {
        calls.push('cancel');
        cancelled();
      },
    },
  });
  const core = { client: fake.client, dispose: async () => void calls.push('dispose') };
  /** Resolves once the runner waits for the end. */
  const runUntilCancelled = (): Promise<void> =>
    new Promise((isAsked) => {
      const untilCancelled = () =>
        new Promise<RunResult>((done) => {
          cancelled = () => done(result);
          isAsked();
        });
      fake.replace({ sessions: { result: untilCancelled } });
    });
  return { core, sent, calls, runUntilCancelled };
}

const none = new AbortController().signal;

/** A clock that moves by two seconds at each look. */
function hooks(calls: string[] = []) {
  let time = 0;
  return { now: () => (time += 2_000), afterTask: async () => void calls.push('after') };
}

describe('the core as a runner of tasks', () => {
  it('runs in place without asking anybody, and returns the result and the log', async () => {
    const events = [progressed('facts', {}), turnEnded()];
    const { core, sent, calls } = fakeCore(events, aResult());
    const runner = createCoreRunner(core, hooks(calls));
    expect(await runner.run(task, none)).toEqual({ result: aResult(), events, seconds: 2 });
    expect(sent).toEqual([
      {
        projectPath: '/tmp/project',
        workspace: 'in-place',
        policy: 'local',
        local: 'a/b',
        strategy: 'recipe',
        seed: 4,
        maxMinutes: 2,
        approve: 'deny',
        atCap: 'stop',
        interactive: false,
        check: 'pytest',
      },
    ]);
    await runner.close();
    expect(calls).toEqual(['unsubscribe', 'after', 'dispose']);
  });

  it('leaves the choice of the check to Dewpoint when the task has none', async () => {
    const { core, sent } = fakeCore([turnEnded()], aResult());
    await createCoreRunner(core, hooks()).run({ ...task, check: null }, none);
    expect(sent[0]).not.toHaveProperty('check');
  });

  it('does not count something missing on the machine as a failure of the agent', async () => {
    const end = turnEnded({
      reason: 'missing',
      failure: { code: 'missing-sandbox', message: 'There is no Docker.', hint: 'Install it.' },
    });
    const { core } = fakeCore([end], aResult({ status: 'missing' }));
    await expect(createCoreRunner(core, hooks()).run(task, none)).rejects.toThrow('There is no Docker. Install it.');
  });

  it('cancels the turn on abort and waits until it has ended', async () => {
    const { core, calls, runUntilCancelled } = fakeCore([turnEnded()], aResult({ status: 'cancelled' }));
    const stop = new AbortController();
    const waits = runUntilCancelled();
    const running = createCoreRunner(core, hooks(calls)).run(task, stop.signal);
    void waits.then(() => stop.abort());
    await expect(running).rejects.toThrow(/abort/i);
    expect(calls).toEqual(['cancel', 'unsubscribe', 'after']);
  });
});
