import type { ClientCore } from '../../tests/fakes/core-client.ts';
import type { RecipeSettings } from '../../src/main/recipes/define.ts';
import type { ComposeConfig } from '../../src/main/compose.ts';
import { itemsOf, openClientCore } from '../../tests/fakes/core-client.ts';
import type { Sandbox } from '../../src/main/sandbox/sandbox.ts';
import { benchSandboxFactory } from './bench-sandbox.ts';
import { createCoreRunner } from './core-runner.ts';
import type { TaskRun, TaskRunner } from './task-runner.ts';

export interface CoreRunnerParts {
  readonly root: string;
  readonly home: string;
  readonly cache: string;
  readonly recipe: Partial<RecipeSettings>;
  /** Downloaded first if they are not on this machine. */
  readonly models: readonly string[];
  readonly say: (line: string) => void;
  /** Wraps the models that the agent calls, together with the clock that belongs to the wrapper. */
  readonly wrapProvider?: ComposeConfig['wrapProvider'];
  readonly now?: () => number;
  /** Runs before the first task, like a person's setup. */
  readonly setUp?: (core: Pick<ClientCore, 'client'>) => Promise<void>;
}

/** The real core in this process, with the models it needs. Rejects if a model is not available. */
export async function makeCoreRunner(parts: CoreRunnerParts): Promise<TaskRunner> {
  const { root, home, cache, recipe, models, say, wrapProvider, now } = parts;
  const sandboxes: Sandbox[] = [];
  let without: TaskRun['without'];
  const makeSandbox = benchSandboxFactory(root, home);
  const core = await openClientCore({
    home,
    cache,
    version: 'bench',
    onNotice: say,
    recipe,
    without: () => without ?? [],
    ...(wrapProvider === undefined ? {} : { wrapProvider }),
    ...(now === undefined ? {} : { now }),
    startSandbox: async (request, signal) => {
      const made = await makeSandbox(request, signal);
      if (made.ok) sandboxes.push(made.value);
      return made;
    },
  });
  try {
    const { signal } = new AbortController();
    for (const id of models) {
      const { state } = await core.client.models.show({ id, fit: false }, { signal });
      if (state !== 'downloadable') continue;
      say(`fetching ${id}`);
      await itemsOf(core.client.models.pull({ id }));
    }
    await parts.setUp?.(core);
    return createCoreRunner(core, {
      now: now ?? (() => performance.now()),
      beforeTask: (task) => {
        without = task.without;
      },
      afterTask: async () => {
        for (const sandbox of sandboxes.splice(0)) await sandbox.dispose();
      },
    });
  } catch (error) {
    await core.dispose();
    throw error;
  }
}
