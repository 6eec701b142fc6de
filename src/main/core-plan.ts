import { isAbsolute } from 'node:path';
import type { PlanInput } from '@shared/contract.ts';
import { AppError } from '@shared/errors.ts';
import { splitModelId } from '@shared/models.ts';
import type { DeviceMemory, PlanAnswer } from '@shared/plan.ts';
import { readGguf } from './engines/gguf.ts';
import type { Hardware } from './engines/hardware.ts';
import type { ModelCatalogue } from './engines/model-catalogue.ts';
import type { ModelFacts } from './engines/model-memory.ts';
import type { ModelStore } from './engines/model-store.ts';
import { answerPlan } from './engines/plan-answer.ts';

export interface CorePlanOptions {
  readonly store: ModelStore;
  readonly catalogue: ModelCatalogue;
  readonly readHardware: (signal: AbortSignal) => Promise<Hardware>;
}

/** The memory planner with what it needs from the outside: headers, the catalogue, the machine. Loads and fetches nothing. */
export interface CorePlan {
  /** Throws `AppError`: `not-found` for a model that nobody knows, `bad-input` for keys that are none. */
  readonly plan: (input: PlanInput, signal: AbortSignal) => Promise<PlanAnswer>;
  /** What a model would get here, in a line; null where its header is not known. */
  readonly fit: (id: string, signal: AbortSignal) => Promise<string | null>;
}

export function createCorePlan(options: CorePlanOptions): CorePlan {
  const plan: CorePlan['plan'] = async (input, signal) => {
    const facts = input.keys === null ? await factsOf(options, input.model) : factsOfKeys(input.keys);
    const real = await options.readHardware(signal);
    const hardware = input.cards === null ? real : { ...real, devices: input.cards.map(simulated) };
    const answer = answerPlan({
      model: input.model,
      facts,
      contextTokens: input.context,
      cacheType: input.kv,
      flashAttention: input.flash,
      ubatchTokens: input.ubatch,
      slots: input.slots,
      unified: input.unified,
      engine: input.engine,
      hardware,
    });
    if (answer.ok) return answer.value;
    const { code, message, hint } = answer.error;
    throw new AppError(code, message, hint === undefined ? {} : { hint });
  };
  return {
    plan,
    fit: async (id, signal) => {
      try {
        return sentence(await plan({ ...plainInput, model: id }, signal));
      } catch (error) {
        // A model whose header nobody has is shown without a fit; anything else is a fault.
        if (error instanceof AppError) return null;
        throw error;
      }
    },
  };
}

const plainInput = {
  keys: null,
  context: null,
  kv: null,
  flash: true,
  ubatch: 512,
  slots: 1,
  unified: false,
  engine: 'node-llama-cpp',
  cards: null,
} as const;

function sentence({ granted, certainty, weightsBytes }: PlanAnswer): string {
  if (weightsBytes === null && certainty !== 'unknown') return 'unknown: how large the file is, is not known';
  const warnings = granted.warnings.length === 0 ? '' : ` ${granted.warnings.join(' ')}`;
  return `${granted.reason}${warnings}`;
}

function simulated({ totalBytes, freeBytes }: { totalBytes: number; freeBytes: number }, index: number): DeviceMemory {
  return {
    name: `card ${index + 1}`,
    totalBytes,
    freeBytes: Math.min(freeBytes, totalBytes),
    // Whatever a driver would take is the caller's to leave out of what is free.
    driverBytes: 0,
    isUnified: false,
    source: 'simulated',
    confidence: 'high',
    note: null,
  };
}

/** `gguf` keys as JSON, plain or as an entry of a list of models has them. */
function factsOfKeys(given: Readonly<Record<string, unknown>>): ModelFacts {
  const inner = given['gguf'];
  const keys = isRecord(inner) ? inner : given;
  if (typeof keys['general.architecture'] !== 'string') {
    throw new AppError('bad-input', 'These are not the keys of a GGUF header: general.architecture is missing.', {
      hint: 'Give a JSON object such as {"general.architecture": "llama", "llama.block_count": 32, …}.',
    });
  }
  const synthetic = given['synthetic_header'];
  const bytes = given['weights_bytes'] ?? (isRecord(synthetic) ? synthetic['weights_bytes'] : undefined);
  const tied = given['tied_embeddings'];
  if (bytes !== undefined && (typeof bytes !== 'number' || !Number.isFinite(bytes) || bytes < 0))
    throw new AppError('bad-input', 'weights_bytes is not a number of bytes.');
  return {
    keys,
    vocabulary: null,
    weights:
      bytes === undefined
        ? null
        : { totalBytes: bytes, inputBytes: null, isTied: typeof tied === 'boolean' ? tied : null, layers: null },
  };
}

/** From the file's own header where it is here, else from the catalogue. */
async function factsOf({ store, catalogue }: CorePlanOptions, id: string | null): Promise<ModelFacts> {
  if (id === null) throw new AppError('usage', 'Give a model or keys.');
  const split = isAbsolute(id) ? null : splitModelId(id);
  const name = split?.provider === 'llama-cpp' ? split.name : id;
  const stored = await store.find(name);
  if (stored?.path !== null && stored?.path !== undefined) {
    const header = await readGguf(stored.path);
    if (header.ok) return header.value.facts;
    const { code, message, hint } = header.error;
    throw new AppError(code, message, hint === undefined ? {} : { hint });
  }
  const known = catalogue.known.find((model) => model.name === name);
  if (known !== undefined) {
    const { keys, weights } = known;
    return {
      keys,
      vocabulary: null,
      weights:
        weights === null
          ? null
          : {
              totalBytes: weights.bytes,
              inputBytes: null,
              isTied: known.tiedEmbeddings,
              estimateOf: weights.of,
              layers: null,
            },
    };
  }
  throw new AppError('not-found', `Nothing is known about the header of ${id}.`, {
    hint: 'Name a model of `dewpoint models list`, a .gguf file, or give --keys FILE.',
  });
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
