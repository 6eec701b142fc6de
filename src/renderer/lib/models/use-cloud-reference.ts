import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import type { CloudReference } from '@shared/money/counterfactual.ts';
import type { SessionState } from '@shared/session/session-state.ts';
import { useClient } from '../connection/core-context.ts';
import { useModels } from './use-local-model.ts';

/**
 * The cloud model that was used last, else the one that was chosen for this session or in the settings; null when there is none, or when it has no price.
 */
export function useCloudReference(state: SessionState): CloudReference | null {
  const client = useClient();
  const models = useModels();
  const chosen = useQuery({
    queryKey: ['models', 'cloud'],
    queryFn: ({ signal }) => client.settings.get({ key: 'cloud' }, { signal }),
  });
  const used = state.steps.findLast((step) => step.where === 'cloud')?.model ?? state.chosen.cloud;
  const id = used ?? (typeof chosen.data === 'string' ? chosen.data : null);
  const price = models.data?.find((model) => model.id === id)?.info?.price ?? null;
  // During work, this is loaded again after each turn.
  const { turns } = state.totals;
  const isIdle = state.turns.at(-1)?.endedAt !== null;
  const needs = useQuery({
    queryKey: ['task-needs', id, turns, isIdle],
    queryFn: ({ signal }) => client.taskNeeds({ model: id ?? '' }, { signal }),
    enabled: id !== null && price !== null,
  });
  return useMemo(
    () => (id === null || price === null ? null : { model: id, price, needs: needs.data ?? [] }),
    [id, price, needs.data],
  );
}
