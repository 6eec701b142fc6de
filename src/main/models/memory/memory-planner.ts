import { isAbsolute } from 'node:path';
import type { MemoryPlanInput } from '@shared/models/memory-plan-input.ts';
import { AppError, valueOf } from '@shared/errors.ts';
import { splitModelId } from '@shared/models/model-info.ts';
import type { DeviceMemory, MemoryPlanAnswer } from '@shared/models/memory-estimate.ts';
import { readAdapted } from './gguf/gguf-header-reader.ts';
import type { ReadHeader } from './gguf/gguf-header-reader.ts';
import type { LlamaEngine } from '../engine/llama-engine.ts';
import type { Hardware } from '../machine/hardware.ts';
import type { ModelCatalog } from '../files/model-catalog.ts';
import type { ModelFacts } from './estimate/model-memory.ts';
import type { Card } from './memory-plan.ts';
import type { ModelStore } from '../files/model-store.ts';
import { answerMemoryPlan } from './answer-memory-plan.ts';
import type { MemoryPlanQuestion } from './answer-memory-plan.ts';
import { isRecord } from '@shared/unknown-value.ts';

export interface MemoryPlannerOptions {
  readonly store: ModelStore;
  readonly catalog: ModelCatalog;
  readonly readHeader: ReadHeader;
  /** The engine's own dry run. Null if it cannot say. */
  readonly measure: LlamaEngine['measure'];
  readonly readHardware: (signal: AbortSignal) => Promise<Hardware>;
  /**
   * A model's header as its server reports it. Null if no server has the model. `cards` are the server's. Absent:
   * this machine's.
   */
  readonly serverHeader: (id: string, signal: AbortSignal) => Promise<ServedHeader | null>;
}

export interface ServedHeader {
  readonly facts: ModelFacts;
  readonly cards?: readonly Card[];
}

/** The memory planner with its sources: headers, the catalog and the hardware. Loads and downloads nothing. */
export interface MemoryPlanner {
  /** Throws `AppError`: `not-found` for an unknown model, `bad-input` for keys that are not valid. */
  readonly plan: (input: MemoryPlanInput, signal: AbortSignal) => Promise<MemoryPlanAnswer>;
  /** Plans for given headers. Reads the hardware once. Throws as `plan` does. */
  readonly planEach: (facts: readonly ModelFacts[], signal: AbortSignal) => Promise<readonly MemoryPlanAnswer[]>;
  /** One line that says what a model would get here. Null if its header is not known. */
  readonly fit: (id: string, signal: AbortSignal) => Promise<string | null>;
}

export function createMemoryPlanner(options: MemoryPlannerOptions): MemoryPlanner {
  const planWith = async (
    input: MemoryPlanInput,
    signal: AbortSignal,
    isMeasured: boolean,
  ): Promise<MemoryPlanAnswer> => {
    const { facts, path, isServed, cards } =
      input.keys === null
        ? await factsOf(options, input.model, signal)
        : { facts: factsOfKeys(input.keys), path: null, isServed: false, cards: undefined };
    // A server runs its models by itself, and makes contexts as llama.cpp's own server does.
    const engine = isServed ? 'llama-server' : input.engine;
    const real = await options.readHardware(signal);
    const devices = input.cards?.map(simulated) ?? cards?.map(seenByServer) ?? real.devices;
    const hardware = { ...real, devices };
    const question: MemoryPlanQuestion = {
      model: input.model,
      facts,
      contextTokens: input.context,
      cacheType: input.kv,
      flashAttention: input.flash,
      ubatchTokens: input.ubatch,
      slots: input.slots,
      unified: input.unified,
      engine,
      hardware,
      measuredBytes: null,
    };
    const answer = answered(question);
    if (
      !isMeasured ||
      path === null ||
      answer.certainty === 'unknown' ||
      input.engine !== 'node-llama-cpp' ||
      input.unified
    )
      return answer;
    const measuredBytes = await options.measure(
      {
        modelPath: path,
        contextTokens: Math.max(1, Math.floor((input.context ?? Math.max(256, answer.granted.context)) / input.slots)),
        sequences: input.slots,
        batchTokens: input.ubatch,
        flashAttention: input.flash,
        cacheType: answer.granted.kv,
      },
      // A running call delays the dry run. After the time limit, the formula is used.
      AbortSignal.timeout(measureMs),
    );
    return measuredBytes === null ? answer : answered({ ...question, measuredBytes });
  };
  return {
    plan: (input, signal) => planWith(input, signal, true),
    planEach: async (facts, signal) => {
      const hardware = await options.readHardware(signal);
      return facts.map((one) => answered({ ...plainQuestion, facts: one, hardware }));
    },
    fit: async (id, signal) => {
      try {
        return sentence(await planWith({ ...plainInput, model: id }, signal, false));
      } catch (error) {
        // A model without a known header is shown without a fit. Other errors are bugs.
        if (error instanceof AppError) return null;
        throw error;
      }
    },
  };
}

function answered(question: MemoryPlanQuestion): MemoryPlanAnswer {
  return valueOf(answerMemoryPlan(question));
}

const measureMs = 8_000;

const plainQuestion = {
  model: null,
  contextTokens: null,
  cacheType: null,
  flashAttention: true,
  ubatchTokens: 512,
  slots: 1,
  unified: false,
  engine: 'node-llama-cpp',
  measuredBytes: null,
} as const;

/** The plan's input if nothing special is asked for. */
export const plainInput = {
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

function sentence({ granted, certainty, weightsBytes }: MemoryPlanAnswer): string {
  if (weightsBytes === null && certainty !== 'unknown') return 'unknown: the size of the file is unknown';
  const warnings = granted.warnings.length === 0 ? '' : ` ${granted.warnings.join(' ')}`;
  return `${granted.reason}${warnings}`;
}

function simulated({ totalBytes, freeBytes }: { totalBytes: number; freeBytes: number }, index: number): DeviceMemory {
  return {
    name: `card ${index + 1}`,
    totalBytes,
    freeBytes: Math.min(freeBytes, totalBytes),
    // The caller must subtract the driver's memory from the free memory.
    driverBytes: 0,
    isUnified: false,
    source: 'simulated',
    confidence: 'high',
    note: null,
  };
}

function seenByServer(card: Card): DeviceMemory {
  return { ...card, source: 'engine', confidence: 'high', note: null };
}

/** Accepts `gguf` keys as JSON, either alone or inside an entry of a model list. */
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

/** From the file's own header if it is here, else from the catalog, else from a server. */
async function factsOf(
  { store, catalog, readHeader, serverHeader }: MemoryPlannerOptions,
  id: string | null,
  signal: AbortSignal,
): Promise<
  Partial<ServedHeader> & { readonly facts: ModelFacts; readonly path: string | null; readonly isServed: boolean }
> {
  if (id === null) throw new AppError('usage', 'Name a model or a file with keys.');
  const split = isAbsolute(id) ? null : splitModelId(id);
  const name = split?.provider === 'llama-cpp' ? split.name : id;
  const stored = await store.find(name);
  if (stored?.path !== null && stored?.path !== undefined) {
    const { facts } = valueOf(await readAdapted(readHeader, stored.path, stored.adapter?.path));
    return { facts, path: stored.path, isServed: false };
  }
  const known = catalog.known.find((model) => model.name === name);
  if (known !== undefined) {
    const { keys, weights } = known;
    const facts: ModelFacts = {
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
    return { facts, path: null, isServed: false };
  }
  const served = await serverHeader(id, signal);
  if (served !== null) return { ...served, path: null, isServed: true };
  throw new AppError('not-found', `The model ${id} was not found.`, {
    hint: 'Use a model of `dewpoint models list`, a .gguf file, or --keys FILE.',
  });
}
