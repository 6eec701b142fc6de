import type { ModelInfo } from '@shared/models/model-info.ts';
import type { ModelSettings, OllamaSettings } from '@shared/settings/settings.ts';
import type { OllamaApi } from './ollama-api.ts';
import { inBillions, type KnownModel } from './ollama-known-models.ts';
import { isBareTemplate, judgeTemplate } from './repair-template.ts';
import { orNoted } from '../../../lib/log.ts';

/** The server of the models. `isHere`: it runs on this machine. */
export interface OllamaServer {
  readonly id: string;
  readonly settings: OllamaSettings;
  readonly api: OllamaApi;
  readonly isHere: boolean;
}

/** Lists all models of a server without memory plans. A plan is made only for a model that is called. */
export async function listOllamaModels(server: OllamaServer, signal: AbortSignal): Promise<readonly ModelInfo[]> {
  const listed = (await server.api.list(signal)).filter(({ details }) => !/bert|embed/i.test(details?.family ?? ''));
  return Promise.all(
    listed.map(async (one) => {
      // If the details cannot be read, the model stays in the list without them.
      const shown = await server.api
        .show(one.name, false, signal)
        .catch(orNoted('ollama: a model was not examined', null));
      const keys = shown?.model_info ?? {};
      const trained = keys[`${String(keys['general.architecture'])}.context_length`];
      const parameters = keys['general.parameter_count'];
      const remote = shown?.remote_host ?? one.remote_host ?? '';
      const most = typeof trained === 'number' && trained > 0 ? trained : 4_096;
      return ollamaModelInfo(server, {
        name: one.name,
        contextTokens: Math.min(server.settings.contextTokens ?? most, most),
        sizeBytes: one.size ?? null,
        model: {
          digest: one.digest ?? '',
          capabilities: shown?.capabilities ?? [],
          template: shown?.template ?? '',
          remoteHost: remote === '' ? null : remote,
          parametersB: typeof parameters === 'number' && parameters > 0 ? inBillions(parameters) : null,
        },
      });
    }),
  );
}

interface Described {
  readonly name: string;
  readonly contextTokens: number;
  readonly sizeBytes?: number | null;
  readonly model: Pick<KnownModel, 'capabilities' | 'template' | 'remoteHost' | 'parametersB'> & Partial<KnownModel>;
}

/** What the user knows better about a model. It is listed with its tag, and may be called without it. */
export function knownBetter({ models }: OllamaSettings, name: string): ModelSettings | undefined {
  return models[name] ?? models[`${name}:latest`];
}

/** Describes one model from what is known of it so far. */
export function ollamaModelInfo(
  { id, settings, isHere }: OllamaServer,
  { name, contextTokens, model, sizeBytes }: Described,
): ModelInfo {
  const own = knownBetter(settings, name);
  const has = (capability: string): boolean => model.capabilities.includes(capability);
  const isRemote = model.remoteHost !== null;
  const parametersB = own?.parametersB ?? model.parametersB;
  const tools = own?.tools ?? has('tools');
  const reasoning = own?.reasoning ?? has('thinking');
  const size = sizeBytes ?? model.sizeBytes ?? null;
  const note = noteOf(model);
  return {
    id: `${id}/${name}`,
    provider: id,
    name,
    label: name,
    // A model that the server only forwards runs on another machine.
    where: isRemote ? 'cloud' : 'local',
    contextTokens: Math.min(own?.context ?? contextTokens, contextTokens),
    parametersB,
    capabilities: {
      tools,
      grammar: !isRemote && !reasoning,
      prefill: false,
      infill: false,
      countTokens: false,
      images: own?.images ?? has('vision'),
      reasoning,
    },
    price: isRemote ? null : { input: 0, output: 0, source: 'local', date: '2026-11-21' },
    strategies: own?.strategies ?? (tools && (parametersB ?? 0) >= 7 ? ['loop', 'recipe'] : ['recipe']),
    ...(reasoning && own?.effort !== undefined ? { effort: own.effort } : {}),
    // One model family has levels of thinking. All others only have it on or off.
    ...(reasoning ? { efforts: /gpt-?oss/i.test(name) ? ['low', 'medium', 'high'] : ['none', 'medium'] } : {}),
    ...(isHere || isRemote ? {} : { isElsewhere: true }),
    ...(size === null ? {} : { sizeBytes: size }),
    ...(isRemote || (model.digest ?? '') === '' ? {} : { digest: model.digest }),
    ...(note === null ? {} : { note }),
  };
}

function noteOf(model: Described['model']): string | null {
  if (model.remoteHost !== null) return `runs at ${model.remoteHost}, not on this machine`;
  const { header } = model;
  if (header !== undefined) return judgeTemplate({ ...emptyModel, ...model, header })?.text ?? null;
  return isBareTemplate(model.template) ? 'its template is missing: see "dewpoint models show"' : null;
}

const emptyModel = { digest: '', sizeBytes: null, trainedTokens: null, filePath: null };
