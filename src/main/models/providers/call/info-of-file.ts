import type { ModelInfo, TextUse } from '@shared/models/model-info.ts';
import { orNoted } from '../../../lib/log.ts';
import type { ModelFile } from '../../files/callable-files.ts';
import type { ModelSource } from '../define.ts';

type OfEngine = Pick<ModelInfo, 'contextTokens' | 'capabilities' | 'price' | 'strategies' | 'use'>;

/** Describes a model file of this machine, from the file itself and from its engine. `id` is the provider's. */
export function infoOfFile(id: string, name: string, file: ModelFile, engine: OfEngine): ModelInfo {
  const { label, parametersB, efforts, effort } = file;
  return {
    id: `${id}/${name}`,
    provider: id,
    name,
    label,
    where: 'local',
    parametersB,
    ...engine,
    ...(efforts === undefined ? {} : { efforts }),
    ...(effort === undefined ? {} : { effort }),
  };
}

/**
 * The message for a model that produces vectors or scores. It is given before loading, which would fail or produce
 * nonsense.
 */
export function noAnswers(name: string, use: TextUse): string {
  const made = use === 'vectors' ? 'turns texts into vectors for a search' : 'says how well texts fit a question';
  return `The model ${name} ${made} and cannot answer. Choose another one for tasks and chat.`;
}

/** One model with its plan. If it could not be planned, as the list has it, and the list reports what is wrong. */
export async function infoOfModel(
  name: string,
  signal: AbortSignal,
  { planned, list }: { readonly planned: Promise<ModelInfo | null> } & Pick<ModelSource, 'list'>,
): Promise<ModelInfo | null> {
  const found = await planned.catch(orNoted('A model was not planned', null));
  return found ?? (await list(signal)).find((model) => model.name === name) ?? null;
}
