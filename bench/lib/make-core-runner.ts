import type { RecipeSettings } from '../../src/main/agent/recipes/define.ts';
import { compose } from '../../src/main/compose.ts';
import { createCoreRunner } from './core-runner.ts';
import type { TaskRunner } from './task-runner.ts';

export interface CoreRunnerParts {
  readonly home: string;
  readonly cache: string;
  readonly recipe: Partial<RecipeSettings>;
  /** Fetched first where they are not on this machine. */
  readonly models: readonly string[];
  readonly say: (line: string) => void;
}

/** The real core in this process, with the models it needs. Rejects when a model cannot be had. */
export async function makeCoreRunner({ home, cache, recipe, models, say }: CoreRunnerParts): Promise<TaskRunner> {
  const core = await compose({ home, cache, version: 'bench', onNotice: say, recipe });
  try {
    const { signal } = new AbortController();
    for (const id of models) {
      const { state } = await core.showModel(id, signal);
      if (state !== 'downloadable') continue;
      say(`fetching ${id}`);
      await core.pullModel(id, () => undefined, signal);
    }
    return createCoreRunner(core);
  } catch (error) {
    await core.dispose();
    throw error;
  }
}
