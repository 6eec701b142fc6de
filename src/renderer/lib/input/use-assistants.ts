import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { Assistant } from '@shared/session/assistants.ts';
import type { ModelEntry } from '@shared/contract/models-contract.ts';
import { useClient } from '../connection/core-context.ts';
import type { ModelPick } from '../models/model-options.ts';
import { useModels } from '../models/use-local-model.ts';

export interface AssistantChoiceState {
  readonly assistants: readonly Assistant[];
  /** Null: none, or it is gone. */
  readonly assistant: Assistant | null;
  readonly choose: (name: string | null) => void;
  /** The model that the message goes to: a picked one, else that of the assistant. */
  readonly pick: ModelPick;
  /** As an option of a message. */
  readonly option: { readonly assistant?: string };
}

const none: readonly Assistant[] = [];

/** The person's assistants, and the one that the next message is for. `first`: the name of the one to begin with. */
export function useAssistants(first: string | null, picked: ModelPick): AssistantChoiceState {
  const client = useClient();
  const models = useModels().data ?? [];
  const [name, choose] = useState(first);
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
    option: assistant === null ? {} : { assistant: assistant.name },
  };
}

/** A model that is picked goes before the one that the assistant names. */
export function pickFor(picked: ModelPick, assistant: Assistant | null, models: readonly ModelEntry[]): ModelPick {
  const isPicked = picked.policy !== null || picked.local !== undefined || picked.cloud !== undefined;
  const model = models.find(({ id }) => id === assistant?.model);
  if (isPicked || model === undefined) return picked;
  return model.where === 'local' ? { policy: 'local', local: model.id } : { policy: 'cloud', cloud: model.id };
}
