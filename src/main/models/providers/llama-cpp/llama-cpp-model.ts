import { join } from 'node:path';
import type { TextUse } from '@shared/models/model-info.ts';
import type { ContextGrant, ContextWish, FitsBeside, GrantContext, StepDown } from '../../memory/grant-context.ts';
import type { LoadOptions } from '../../engine/worker/worker-protocol.ts';
import type { LlamaEngine } from '../../engine/llama-engine.ts';
import type { LocalEngines } from '../../engine/local-engines.ts';
import type { ModelFile, ModelFiles } from '../../files/callable-files.ts';
import type { Strain } from '@shared/models/machine-strain.ts';

export interface LlamaCppDependencies extends ModelFiles {
  readonly now: () => number;
  /** The folder of prefix states. */
  readonly cacheDir: string;
  /** The one built-in engine of this core. Absent if none can run. */
  readonly llama?: LlamaEngine;
  /** Makes the engines of this machine take turns. Absent: this engine is the only one. */
  readonly localEngines?: LocalEngines;
  /** Grants a context size that fits this machine's memory. Absent: the requested size is used. */
  readonly grantContext?: GrantContext;
  /** Whether a granted load fits beside what other engines hold. Absent: it fits. */
  readonly fitsBeside?: FitsBeside;
  /** Grants one step less after a load ran out of memory. Absent: there are no steps. */
  readonly stepDown?: StepDown;
  /** Whether this machine is under strain. Absent: nothing checks that. */
  readonly strain?: () => Promise<Strain>;
}

/** The context size without a setting and without a plan. */
const defaultContextTokens = 8192;
/** The number of conversations that keep their tokens at the same time. */
const sequences = 3;

export interface LlamaSettings {
  readonly contextTokens?: number | undefined;
  readonly threads?: number | undefined;
  readonly gpu: 'auto' | 'off';
}

/** A model file and its memory grant. */
export interface FoundModel {
  readonly path: string;
  readonly wish: ContextWish;
  readonly options: LoadOptions;
  readonly grant: ContextGrant;
  /** Null: no adapter. */
  readonly adapter: Pick<Adapter, 'path' | 'name' | 'sha256'> | null;
  /** Set if it produces vectors or scores. Null: it answers. */
  readonly use: TextUse | null;
  /** Why it must not be loaded, in whole sentences. Null: it may be. */
  readonly refusal: string | null;
}

type Adapter = NonNullable<ModelFile['adapter']>;

/** Null if it is not on this machine. */
export async function findModel(
  dependencies: LlamaCppDependencies,
  settings: LlamaSettings,
  { model: name, signal }: { readonly model: string; readonly signal: AbortSignal },
): Promise<FoundModel | null> {
  const file = await dependencies.modelFile(name);
  if (file === null) return null;
  const wish = wishOf(settings, file);
  const grant = await grantOf(dependencies, wish, file);
  return {
    path: file.path,
    wish,
    grant,
    adapter: file.adapter ?? null,
    use: file.use ?? null,
    refusal: (await file.adapter?.refusal(signal)) ?? null,
    options: {
      modelPath: file.path,
      contextTokens: grant.grantedTokens,
      sequences: grant.sequences,
      threads: settings.threads ?? null,
      gpu: settings.gpu,
      gpuLayers: grant.gpuLayers,
      cacheType: grant.cacheType,
      ...(wish.adapterPath === undefined ? {} : { adapterPath: wish.adapterPath }),
      stateDir: join(dependencies.cacheDir, 'prefix'),
      ...(file.use === undefined ? {} : { use: file.use }),
    },
  };
}

/** The planned size if there is a planner. Else the requested size, up to the trained length. */
export async function grantOf(
  { grantContext }: LlamaCppDependencies,
  wish: ContextWish,
  file: { readonly path: string; readonly contextTokens: number | null },
): Promise<ContextGrant> {
  if (grantContext !== undefined) return grantContext(file.path, wish);
  const wanted = wish.askedTokens ?? defaultContextTokens;
  return {
    askedTokens: wanted,
    grantedTokens: Math.min(wanted, file.contextTokens ?? wanted),
    sequences,
    cacheType: 'f16',
    predictedBytes: null,
    ownBytes: 0,
    placement: null,
    gpuLayers: null,
    expectsCard: false,
    why: null,
    isSmaller: false,
  };
}

export function wishOf(
  { contextTokens, gpu }: LlamaSettings,
  {
    adapter,
    askedTokens,
  }: { readonly adapter?: Pick<Adapter, 'path'> | undefined; readonly askedTokens?: number | undefined },
): ContextWish {
  const wish = { askedTokens: askedTokens ?? contextTokens ?? null, sequences, gpu };
  return adapter === undefined ? wish : { ...wish, adapterPath: adapter.path };
}
