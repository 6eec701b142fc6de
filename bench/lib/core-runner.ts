import type { ClientCore } from '../../tests/fakes/core-client.ts';
import { AppError } from '@shared/errors.ts';
import type { SessionEvent } from '@shared/events/events.ts';
import type { RunOptions } from '@shared/session/run-options.ts';
import { followEvents } from '../../tests/fakes/core-client.ts';
import type { TaskOutcome, TaskRun, TaskRunner } from './task-runner.ts';

export interface CoreRunnerHooks {
  /** Milliseconds from any fixed point. */
  readonly now: () => number;
  /** Removes the session's container, which would otherwise stay as long as the core runs. */
  readonly afterTask: () => Promise<void>;
  readonly beforeTask?: (task: TaskRun) => void;
}

/**
 * Does tasks with the core that every host uses: one session a task, local, in place, with nobody to answer questions.
 * Rejects if something is missing on the machine, because that says nothing about the agent.
 */
export function createCoreRunner(
  core: Pick<ClientCore, 'client' | 'dispose'>,
  { now, afterTask, beforeTask }: CoreRunnerHooks,
): TaskRunner {
  return {
    async run(task, signal) {
      beforeTask?.(task);
      const begun = now();
      const { sessionId } = await core.client.sessions.create({
        projectPath: task.projectPath,
        workspace: 'in-place',
        title: task.prompt.slice(0, 60),
        sandbox: 'container',
      });
      const events: SessionEvent[] = [];
      const cancel = (): void => void core.client.sessions.cancel({ sessionId }).catch(() => undefined);
      const unsubscribe = followEvents(core.client, sessionId, (event) => events.push(event));
      signal.addEventListener('abort', cancel, { once: true });
      try {
        await core.client.sessions.send({ sessionId, text: task.prompt, options: optionsOf(task) });
        if (signal.aborted) cancel();
        const result = await core.client.sessions.result({ sessionId });
        const seconds = (now() - begun) / 1000;
        signal.throwIfAborted();
        await caughtUp(events);
        refuseMissing(result, events);
        return { result, events, seconds };
      } finally {
        signal.removeEventListener('abort', cancel);
        unsubscribe();
        await afterTask();
      }
    },
    close: () => core.dispose(),
  };
}

function optionsOf({ projectPath, check, model, strategy, seed, maxMinutes, policy, cloud }: TaskRun): RunOptions {
  return {
    projectPath,
    workspace: 'in-place',
    policy: policy ?? 'local',
    local: model,
    strategy,
    seed,
    maxMinutes,
    approve: 'deny',
    atCap: 'stop',
    interactive: false,
    ...(cloud === undefined ? {} : { cloud }),
    ...(check === null ? {} : { check }),
  };
}

/** Waits for the last events: the result comes from the same log and may arrive before them. */
async function caughtUp(events: readonly SessionEvent[]): Promise<void> {
  for (let tries = 0; tries < 100 && events.at(-1)?.type !== 'turn-ended'; tries += 1) {
    await new Promise((done) => setTimeout(done, 20));
  }
}

function refuseMissing(result: TaskOutcome['result'], events: readonly SessionEvent[]): void {
  if (result.status !== 'missing') return;
  const end = events.findLast((event) => event.type === 'turn-ended');
  const failure = end?.type === 'turn-ended' ? end.failure : null;
  throw new AppError('missing-model', `${failure?.message ?? result.reason} ${failure?.hint ?? ''}`.trim());
}
