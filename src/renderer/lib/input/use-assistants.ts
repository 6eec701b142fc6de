import { useQuery } from '@tanstack/react-query';
import type { Assistant } from '@shared/session/assistants.ts';
import type { ModelEntry } from '@shared/contract/models-contract.ts';
import { useClient } from '../connection/core-context.ts';
import type { ModelPick } from '../models/model-options.ts';
import type { SessionChoice } from '../models/session-choice.ts';
import { useModels } from '../models/use-local-model.ts';

export interface AssistantChoiceState {
  readonly assistants: readonly Assistant[];
  /** Null: none, or it no longer exists. */
  readonly assistant: Assistant | null;
  readonly choose: (name: string | null) => void;
  /** The model for the message: the picked one, else the assistant's. */
  readonly pick: ModelPick;
}

const none: readonly Assistant[] = [];

/** The user's assistants, and the chosen one for the next message. */
export function useAssistants(
  { pick: picked, assistant: name }: Pick<SessionChoice, 'pick' | 'assistant'>,
  choose: (name: string | null) => void,
): AssistantChoiceState {
  const client = useClient();
  const models = useModels().data ?? [];
  const { data } = useQuery({
    queryKey: ['assistants'],
    queryFn: ({ signal }) => client.assistants.list(undefined, { signal }),
    staleTime: 2000,
  });
  const assistants = data?.assistants ?? none;
  const assistant = assistants.find((one) => one.name === name) ?? null;
  return {
    assistants,
    assistant,
    choose,
    pick: pickFor(picked, assistant, models),
  };
}

/** A picked model overrides the assistant's. */
export function pickFor(picked: ModelPick, assistant: Assistant | null, models: readonly ModelEntry[]): ModelPick {
  const isPicked = picked.policy !== null || picked.local !== undefined || picked.cloud !== undefined;
  const model = models.find(({ id }) => id === assistant?.model);
  if (isPicked || model === undefined) return picked;
  return model.where === 'local' ? { policy: 'local', local: model.id } : { policy: 'cloud', cloud: model.id };
}
