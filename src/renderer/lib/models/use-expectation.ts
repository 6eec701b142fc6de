import { useQuery } from '@tanstack/react-query';
import type { Expectation, ExpectedKind } from '@shared/routing/outcomes.ts';
import type { TaskMode } from '@shared/text/task-mode.ts';
import { useClient } from '../connection/core-context.ts';
import { type ModelPick, pickedModel } from './model-options.ts';
import { useUsualModels } from './use-model-options.ts';

export interface AskedExpectation {
  readonly pick: ModelPick;
  readonly mode: TaskMode;
  readonly projectPath: string | null;
  /** Nothing is asked about an empty field. */
  readonly hasWords: boolean;
}

/**
 * What the message is likely to bring, by the record of this machine. It depends on whether something is asked or done,
 * and not on each word, so typing asks nothing anew. Null: nothing is known, or it is a plan.
 */
export function useExpectation({ pick, mode, projectPath, hasWords }: AskedExpectation): Expectation | null {
  const client = useClient();
  const usual = useUsualModels(projectPath);
  const kind: ExpectedKind = mode === 'ask' ? 'question' : 'work';
  const picked = usual === undefined ? null : pickedModel(pick, usual);
  const policy = picked === null ? undefined : picked.type === 'auto' ? ('hybrid' as const) : picked.where;
  const { local, cloud } = pick;
  const { data } = useQuery({
    queryKey: ['expectation', projectPath, kind, policy, local, cloud],
    queryFn: ({ signal }) =>
      client.routing.expect(
        {
          projectPath,
          kind,
          ...(policy === undefined ? {} : { policy }),
          ...(typeof local === 'string' ? { local } : {}),
          ...(typeof cloud === 'string' ? { cloud } : {}),
        },
        { signal },
      ),
    // A task takes longer, and each one is counted only when it ends.
    staleTime: 20_000,
    enabled: hasWords && mode !== 'plan' && policy !== undefined,
  });
  return hasWords && mode !== 'plan' ? (data ?? null) : null;
}
