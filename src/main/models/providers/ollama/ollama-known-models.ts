import { join } from 'node:path';
import { z } from 'zod';
import type { ServerMemoryPlanner } from '../../memory/server-memory-planner.ts';
import { readJsonFile, writeJsonFile } from '../../../lib/files/json-file.ts';
import type { ListedByOllama, OllamaApi, ShownModel } from './ollama-api.ts';
import { orNoted } from '../../../lib/log.ts';

const numberOrNull = z.number().nullable();

/** Facts about a model of the server. They hold as long as its digest is the same. */
const knownSchema = z.object({
  digest: z.string(),
  sizeBytes: numberOrNull,
  header: z.object({
    facts: z.object({
      keys: z.record(z.string(), z.unknown()),
      vocabulary: numberOrNull,
      weights: z
        .object({
          totalBytes: z.number(),
          inputBytes: numberOrNull,
          isTied: z.boolean().nullable(),
          estimateOf: z.string().optional(),
          largestBytes: z.number().optional(),
          layers: z.array(z.object({ bytes: z.number(), expertBytes: z.number() })).nullable(),
        })
        .nullable(),
    }),
    hollowKeys: z.array(z.string()),
    markers: z.array(z.string()),
  }),
  capabilities: z.array(z.string()),
  /** The prompt template. Empty if the server does not report it. */
  template: z.string(),
  /** The context size that it was trained for, in tokens. */
  trainedTokens: numberOrNull,
  parametersB: numberOrNull,
  /** The model file on the server's machine. */
  filePath: z.string().nullable(),
  /** Where prompts are sent, for a model that this server only forwards. */
  remoteHost: z.string().nullable(),
});
export type KnownModel = z.infer<typeof knownSchema>;

/**
 * Reads a model's header through the server, once for each digest. The answer has megabytes, most of them
 * vocabulary.
 */
export interface KnownModels {
  readonly of: (listed: ListedByOllama, signal: AbortSignal) => Promise<KnownModel>;
}

export function createKnownModels(options: {
  readonly api: OllamaApi;
  readonly cacheDir: string;
  readonly read: ServerMemoryPlanner['read'];
}): KnownModels {
  const kept = new Map<string, KnownModel>();
  return {
    of: async (listed, signal) => {
      const digest = listed.digest ?? '';
      const known = kept.get(digest) ?? (await fromDisk(options.cacheDir, digest));
      if (known !== null) {
        kept.set(digest, known);
        return known;
      }
      const model = await ask(options, listed, signal);
      // An incomplete header is not kept, because another version of the server may give all of it.
      if (digest !== '' && model.header.hollowKeys.length === 0) {
        kept.set(digest, model);
        const path = fileOf(options.cacheDir, digest);
        // The cache only speeds up the next start, so a failure is ignored.
        if (path !== null)
          await writeJsonFile(path, model).catch(orNoted('ollama: what is known of a model was not saved', undefined));
      }
      return model;
    },
  };
}

async function ask(
  { api, read }: { readonly api: OllamaApi; readonly read: ServerMemoryPlanner['read'] },
  listed: ListedByOllama,
  signal: AbortSignal,
): Promise<KnownModel> {
  const shown = await api.show(listed.name, true, signal);
  const header = read({ keys: shown.model_info ?? {}, tensors: shown.tensors ?? [] });
  const { keys } = header.facts;
  const trained = keys[`${String(keys['general.architecture'])}.context_length`];
  const parameters = keys['general.parameter_count'];
  const remote = shown.remote_host ?? listed.remote_host ?? null;
  return {
    digest: listed.digest ?? '',
    sizeBytes: listed.size ?? null,
    header: {
      facts: mutable(withAdapter(header.facts, shown, listed)),
      hollowKeys: [...header.hollowKeys],
      markers: [...header.markers],
    },
    capabilities: shown.capabilities ?? [],
    template: shown.template ?? '',
    trainedTokens: typeof trained === 'number' && trained > 0 ? trained : null,
    parametersB:
      typeof parameters === 'number' && parameters > 0
        ? inBillions(parameters)
        : billionsIn(shown.details?.parameter_size ?? listed.details?.parameter_size),
    filePath: /^FROM (\/.+|[A-Z]:\\.+)$/m.exec(shown.modelfile ?? '')?.[1]?.trim() ?? null,
    remoteHost: remote === '' ? null : remote,
  };
}

/** The server lists no tensors of an adapter, so its reported total size is used. */
function withAdapter(
  facts: ReturnType<ServerMemoryPlanner['read']>['facts'],
  { modelfile }: ShownModel,
  { size }: ListedByOllama,
): ReturnType<ServerMemoryPlanner['read']>['facts'] {
  const { weights } = facts;
  if (weights === null || !/^ADAPTER /m.test(modelfile ?? '')) return facts;
  const totalBytes = Math.max(weights.totalBytes, size ?? 0);
  return {
    ...facts,
    weights: { ...weights, totalBytes, estimateOf: 'an estimate: all files of the model, its adapter among them' },
  };
}

function mutable({
  keys,
  vocabulary,
  weights,
}: ReturnType<ServerMemoryPlanner['read']>['facts']): KnownModel['header']['facts'] {
  return {
    keys: { ...keys },
    vocabulary,
    weights: weights === null ? null : { ...weights, layers: weights.layers === null ? null : [...weights.layers] },
  };
}

/** Rounded to two decimals, and at least 0.01. */
export function inBillions(parameters: number): number {
  return Math.max(0.01, Math.round(parameters / 1e7) / 100);
}

/** Parses sizes such as "494.03M" and "7.6B". */
function billionsIn(size: string | null | undefined): number | null {
  const [, amount = '', unit = ''] = /^([\d.]+)\s*([KMB])$/i.exec(size ?? '') ?? [];
  const value = Number(amount) / (unit.toUpperCase() === 'B' ? 1 : unit.toUpperCase() === 'M' ? 1e3 : 1e6);
  return Number.isFinite(value) && value > 0 ? value : null;
}

/** Null for a malformed digest, because the digest becomes a file name. */
function fileOf(cacheDir: string, digest: string): string | null {
  const hash = digest.replace(/^sha256:/, '');
  return /^[0-9a-f]{64}$/.test(hash) ? join(cacheDir, 'ollama', `${hash}.json`) : null;
}

async function fromDisk(cacheDir: string, digest: string): Promise<KnownModel | null> {
  const path = fileOf(cacheDir, digest);
  if (path === null) return null;
  const file = await readJsonFile(path, (value) => knownSchema.parse(value));
  return file.type === 'value' && file.value.digest === digest ? file.value : null;
}
