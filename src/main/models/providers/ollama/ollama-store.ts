import type { Provider } from '../define.ts';
import type { OllamaApi } from './ollama-api.ts';
import { OllamaError } from './ollama-errors.ts';
import type { KnownModels } from './ollama-known-models.ts';
import { judgeTemplate, repairedName, repairTemplateFor } from './repair-template.ts';
import type { ModelLoader } from './ollama-model-loader.ts';

interface StoreParts {
  readonly api: OllamaApi;
  readonly known: KnownModels;
  readonly find: ModelLoader['find'];
}

type OllamaStore = Required<Pick<Provider, 'header' | 'remove' | 'repair'>>;

/** What is done with models that lie in the server's store, without loading one. */
export function createOllamaStore(parts: StoreParts): OllamaStore {
  const { api, known, find } = parts;
  return {
    header: async (name, signal) => {
      const listed = await find(name, signal);
      return listed === null ? null : (await known.of(listed, signal)).header.facts;
    },
    remove: async (name, signal) => {
      const listed = await find(name, signal);
      if (listed === null) return null;
      await api.remove(listed.name, signal);
      return { bytes: listed.size ?? 0 };
    },
    repair: repairWith(parts),
  };
}

/**
 * Repairs a model whose template does nothing or knows no tools: a model of our own name is derived from it, with the
 * template of its family. The one that it comes from stays as it is, and the weights are not copied.
 */
function repairWith({ api, known, find }: StoreParts): OllamaStore['repair'] {
  return async (name, apply, signal) => {
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
    const plan = `a model ${made} is made from ${listed.name} with the template "${repair.family}"; ${listed.name} does not change, and its weights are not copied`;
    if (!apply) return { problem: problem.text, plan, made: null };
    await api.create(
      { model: made, from: listed.name, template: repair.template, parameters: { stop: [...repair.stop] } },
      signal,
    );
    return { problem: problem.text, plan, made };
  };
}
