import type { ModelInfo, TextUse } from '@shared/models/model-info.ts';
import type { ProviderDependencies } from '../define.ts';

export type ModelFile = NonNullable<Awaited<ReturnType<ProviderDependencies['modelFile']>>>;

type OfEngine = Pick<ModelInfo, 'contextTokens' | 'capabilities' | 'price' | 'strategies' | 'use'>;

/** A model of a file on this machine: what its file says, and what the engine that runs it adds. `id`: of its provider. */
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

/** Before anything is loaded: it would fail, or answer nonsense. */
export function noAnswers(name: string, use: TextUse): string {
  const made = use === 'vectors' ? 'turns texts into vectors for a search' : 'says how well texts fit a question';
  return `The model ${name} ${made} and cannot answer. Choose another one for tasks and chat.`;
}
