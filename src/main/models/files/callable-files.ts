import { isAbsolute } from 'node:path';
import type { Effort, ModelInfo, Strategy, TextUse } from '@shared/models/model-info.ts';
import type { ModelStore } from './model-store.ts';
import type { Sight } from './projectors.ts';
import type { AdapterOf } from './stored-model.ts';

/** A model file of this machine that can be called. */
export interface ModelFile {
  readonly path: string;
  readonly contextTokens: number | null;
  readonly parametersB: number | null;
  readonly label: string;
  /** Strategies for which the model passed the probe, best first. Absent: unknown, so recipes only. */
  readonly strategies?: readonly Strategy[];
  /** Set for a model that produces vectors or scores. Absent: it answers. */
  readonly use?: TextUse | undefined;
  /** The possible thinking efforts, and the default one. Absent: thinking cannot be switched. */
  readonly efforts?: readonly Effort[] | undefined;
  readonly effort?: Effort | undefined;
  /** The context that the user set for it, in tokens. Absent: none. */
  readonly askedTokens?: number | undefined;
  /** What the catalog says about files that can draft for this one. Absent: nothing. */
  readonly drafters?: string | undefined;
  /** Its projector, or why it has none that can be used. Absent: there is none. */
  readonly sight?: Sight | undefined;
  /** The LoRA adapter on the model. Absent: none. */
  readonly adapter?: Pick<AdapterOf, 'path' | 'name' | 'sha256' | 'refusal'> | undefined;
}

/** The model files that engines of this machine can call. */
export interface ModelFiles {
  /** By its name in Dewpoint or its whole path. Null if it is not on this machine. */
  readonly modelFile: (name: string) => Promise<ModelFile | null>;
  readonly localModels: () => Promise<readonly string[]>;
}

interface CallableFiles extends ModelFiles {
  /** Remembers a model file that was named by its path, so that it is listed, too. */
  readonly mention: (name: string) => void;
}

export interface CallableFilesOptions {
  readonly store: Pick<ModelStore, 'find' | 'list'>;
  /** The recommended thinking effort for the model family of a file. Null: no recommendation. */
  readonly effortOf: (path: string) => Promise<Effort | null>;
  /** The context that the user set for the file of a name. Undefined: none. */
  readonly askedTokensOf: (name: string) => number | undefined;
  /** What the catalog says about files that can draft for this file. Undefined: nothing. */
  readonly draftersOf: (path: string) => Promise<string | undefined>;
}

export function createCallableFiles({
  store,
  effortOf,
  draftersOf,
  askedTokensOf,
}: CallableFilesOptions): CallableFiles {
  const paths = new Set<string>();
  return {
    mention: (name) => {
      if (isAbsolute(name)) paths.add(name);
    },
    localModels: async () => {
      const installed = (await store.list()).filter((model) => model.isInstalled).map((model) => model.name);
      return [...new Set([...installed, ...paths])];
    },
    modelFile: async (name) => {
      const model = await store.find(name);
      if (model === null || !model.isInstalled || model.path === null) return null;
      const { path, contextTokens, parametersB, label, strategies, efforts, adapter, sight, use } = model;
      return {
        path,
        contextTokens,
        parametersB,
        label,
        strategies,
        adapter,
        sight,
        askedTokens: askedTokensOf(model.name),
        drafters: await draftersOf(path),
        ...(use === undefined ? {} : { use }),
        ...thinkingOf(efforts, await effortOf(path)),
      };
    },
  };
}

/** Without a recommended effort, a model thinks as little as it can. */
function thinkingOf(efforts: readonly Effort[], advised: Effort | null): Pick<ModelInfo, 'effort' | 'efforts'> {
  const [least] = efforts;
  if (least === undefined) return {};
  return { efforts, effort: advised !== null && efforts.includes(advised) ? advised : least };
}
