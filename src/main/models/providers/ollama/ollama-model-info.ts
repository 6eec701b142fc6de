import type { ModelInfo } from '@shared/models/model-info.ts';
import type { OllamaSettings } from '@shared/settings/settings.ts';
import type { OllamaApi } from './ollama-api.ts';
import { inBillions, type KnownModel } from './ollama-known-models.ts';
import { isBareTemplate, judgeTemplate } from './repair-template.ts';

/** The server that models lie on. `isHere`: it is on this machine. */
export interface OllamaServer {
  readonly id: string;
  readonly settings: OllamaSettings;
  readonly api: OllamaApi;
  readonly isHere: boolean;
}

/** All models of a server, without a plan for each of them: that is made for the model that is called. */
export async function listOllamaModels(server: OllamaServer, signal: AbortSignal): Promise<readonly ModelInfo[]> {
  const listed = (await server.api.list(signal)).filter(({ details }) => !/bert|embed/i.test(details?.family ?? ''));
  return Promise.all(
    listed.map(async (one) => {
      // A model stays in the list without its details.
      const shown = await server.api.show(one.name, false, signal).catch(() => null);
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

/** What is said of one model, by what is known of it so far. */
export function ollamaModelInfo(
  { id, settings, isHere }: OllamaServer,
  { name, contextTokens, model, sizeBytes }: Described,
): ModelInfo {
  const own = settings.models[name];
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
    // A model that the server only passes on runs on somebody else's machine.
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
    // One family is told how hard to think, all others whether to.
    ...(reasoning ? { efforts: /gpt-?oss/i.test(name) ? ['low', 'medium', 'high'] : ['none', 'medium'] } : {}),
    ...(isHere || isRemote ? {} : { isElsewhere: true }),
    ...(size === null ? {} : { sizeBytes: size }),
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
