import type { OllamaApi } from './ollama-api.ts';
import { OllamaError } from './ollama-api.ts';
import type { KnownModels } from './ollama-known-models.ts';
import { judgeTemplate, repairedName, repairTemplateFor } from './repair-template.ts';
import type { ModelLoader } from './ollama-model-loader.ts';
import type { ModelRepair } from '@shared/contract/models-contract.ts';

/**
 * Repairs a model whose template does nothing or knows no tools: a model of our own name is derived from it, with the
 * template of its family. The one that it comes from stays as it is, and the weights are not copied.
 */
export function createModelRepair({
  api,
  known,
  find,
}: {
  readonly api: OllamaApi;
  readonly known: KnownModels;
  readonly find: ModelLoader['find'];
}) {
  return async (name: string, apply: boolean, signal: AbortSignal): Promise<ModelRepair> => {
    const listed = await find(name, signal);
    if (listed === null)
      throw new OllamaError({
        code: 'missing-model',
        message: `Ollama does not have the model ${name}.`,
        retryable: false,
      });
    const model = await known.of(listed, signal);
    const problem = judgeTemplate(model);
    const repair = repairTemplateFor(model);
    if (problem === null) return { problem: null, plan: null, made: null };
    if (repair === null) return { problem: problem.text, plan: null, made: null };
    const made = repairedName(listed.name);
    const plan = `a model ${made} is derived from ${listed.name} with the template "${repair.family}"; ${listed.name} stays as it is, and the weights are not copied`;
    if (!apply) return { problem: problem.text, plan, made: null };
    await api.create(
      { model: made, from: listed.name, template: repair.template, parameters: { stop: [...repair.stop] } },
      signal,
    );
    return { problem: problem.text, plan, made };
  };
}
