import { AppError } from '@shared/errors.ts';
import { adapterName } from '../../files/import-model.ts';
import { sha256OfFiles } from '../../files/hash-model-files.ts';
import { checkAdapterHeader } from '../../memory/gguf/check-adapter.ts';
import { readTensors } from '../../memory/gguf/read-gguf.ts';
import type { LocalStore } from '../define.ts';
import type { OllamaApi } from './ollama-api.ts';
import { OllamaError } from './ollama-errors.ts';
import { pullModel } from './ollama-pull.ts';
import type { KnownModels } from './ollama-known-models.ts';
import { adaptedName, judgeTemplate, repairedName, repairTemplateFor } from './repair-template.ts';
import type { ModelLoader } from './ollama-model-loader.ts';

interface StoreParts {
  readonly api: OllamaApi;
  readonly known: KnownModels;
  readonly find: ModelLoader['find'];
  readonly stallMs: number;
}

/** Operations on models in the server's store that load no model. */
export function createOllamaStore(parts: StoreParts): LocalStore {
  const { api, find, stallMs } = parts;
  return {
    pull: (name, onProgress, signal) => pullModel(api, name, { onProgress, signal, stallMs }),
    remove: async (name, signal) => {
      const listed = await find(name, signal);
      if (listed === null) return null;
      await api.remove(listed.name, signal);
      return { bytes: listed.size ?? 0 };
    },
    repair: repairWith(parts),
    addAdapter: adapterWith(parts),
  };
}

/**
 * Repairs a model whose template does nothing or lacks tools. It derives a model under our own name, with the
 * template of its family. The original is unchanged, and the weights are not copied.
 */
function repairWith({ api, known, find }: StoreParts): LocalStore['repair'] {
  return async (name, apply, signal) => {
    const listed = await find(name, signal);
    if (listed === null) throw notThere(name);
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

function notThere(name: string): OllamaError {
  return new OllamaError({
    code: 'missing-model',
    message: `Ollama does not have the model ${name}.`,
    retryable: false,
  });
}

/**
 * Makes a model under our own name from one of the server's and an adapter. The store refers to both by digest, so
 * later changes to the original model have no effect.
 */
function adapterWith({ api, known, find }: StoreParts): LocalStore['addAdapter'] {
  return async (name, request, signal) => {
    const listed = await find(name, signal);
    if (listed === null) throw notThere(name);
    const own = adapterName(request);
    const { path } = request;
    const { header } = await known.of(listed, signal);
    checkAdapterHeader((await readTensors(path)).keys, header.facts.keys['general.architecture']);
    const made = adaptedName(listed.name, own);
    if ((await find(made, signal)) !== null)
      throw new AppError('conflict', `Ollama has a model ${made} already.`, {
        hint: 'Choose another name with --name NAME, or remove the other one.',
      });
    const sha256 = await sha256OfFiles([path], { signal, onProgress: () => undefined });
    await api.upload(path, sha256, signal);
    await api.create({ model: made, from: listed.name, adapters: { 'adapter.gguf': `sha256:${sha256}` } }, signal);
    return made;
  };
}
