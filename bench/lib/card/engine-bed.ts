import { basename, join } from 'node:path';
import { textMessage } from '@shared/models/model-messages.ts';
import { createLlamaEngine } from '../../../src/main/models/engine/llama-engine.ts';
import type { LlamaEngine } from '../../../src/main/models/engine/llama-engine.ts';
import type { HostPrograms } from '../../../src/main/lib/programs/host-programs.ts';
import type { Hardware, SaidCard } from '../../../src/main/models/machine/hardware.ts';
import { createMachineProbe, readHardware } from '../../../src/main/models/machine/hardware.ts';
import { createGrantContext } from '../../../src/main/models/memory/grant-context.ts';
import type { ContextGrant, ContextGrants, GrantContext } from '../../../src/main/models/memory/grant-context.ts';
import { createHeaderReader } from '../../../src/main/models/memory/gguf/gguf-header-reader.ts';
import { createLoadSteps } from '../../../src/main/models/memory/load-steps.ts';
import type { Provider, StreamEnded } from '../../../src/main/models/providers/define.ts';
import { createLlamaCppProvider } from '../../../src/main/models/providers/llama-cpp/create-llama-cpp-provider.ts';
import { wishOf } from '../../../src/main/models/providers/llama-cpp/llama-cpp-model.ts';
import { plainRequest } from '../plain-request.ts';
import type { CardAnswer, CardBed, CardFile, CardQuestion, CardWish } from './card-bed.ts';

export interface EngineBedOptions {
  readonly folder: string;
  readonly workerPath: string;
  readonly nodePath: string;
  readonly enginesDir: string;
  readonly programs: HostPrograms;
  /** `off`: the processor, to test the procedure without a card. Default: auto. */
  readonly gpu?: 'auto' | 'off';
}

/** More layers than any model has: the engine takes all of them. */
const allLayers = 1_000;
let beds = 0;

/** The app's engine in its own process, with this machine's card as its maker's tool sees it. */
export function createEngineBed(options: EngineBedOptions): CardBed {
  const { folder, programs, gpu = 'auto' } = options;
  const number = (beds += 1);
  const engine = createLlamaEngine({ ...options, now: () => performance.now(), hangMs: 120_000 });
  const readHeader = createHeaderReader();
  const byTools = (signal: AbortSignal): Promise<Hardware> => readHardware([], signal, createMachineProbe(programs));
  const plansOf = ({ cardBytes }: CardWish): ContextGrants => {
    const said: readonly SaidCard[] =
      cardBytes === undefined ? [] : [{ name: 'a smaller card', totalBytes: cardBytes }];
    return createGrantContext({
      readHeader,
      readHardware: (signal) =>
        readHardware(said, signal, {
          ...createMachineProbe(programs),
          seenByEngine: async (wait) => (gpu === 'off' ? undefined : engine.cards(wait)),
        }),
      enginePid: () => engine.pid(),
      loadedPath: () => engine.loadedPath(),
      // A load that ran out of memory is not made smaller for the next try.
      steps: createLoadSteps(join(folder, `steps-${number}-${Math.random()}.json`)),
      now: () => 0,
    });
  };
  const grantOf = (wish: CardWish): GrantContext => {
    const plans = plansOf(wish);
    return async (path, asked) => {
      const granted = await plans.grant(path, { ...asked, askedTokens: wish.contextTokens, gpu });
      return wish.isForced === true ? forced(granted, wish) : granted;
    };
  };
  return {
    async usedBytes() {
      const { devices } = await byTools(AbortSignal.timeout(10_000));
      const counted = devices.filter(({ source }) => source !== 'metal' && source !== 'windows-registry');
      if (counted.length === 0) return null;
      return counted.reduce((sum, { totalBytes, freeBytes }) => sum + totalBytes - freeBytes, 0);
    },
    async plan(file, wish) {
      const granted = await grantOf(wish)(file.path, wishOf({ gpu, contextTokens: wish.contextTokens }, {}));
      const { placement, gpuLayers, predictedBytes, grantedTokens } = granted;
      return { placement, gpuLayers, predictedBytes, contextTokens: grantedTokens };
    },
    answer: (file, wish, ask) => answer(engine, providerOf(options, engine, { file, wish, grant: grantOf(wish) }), ask),
    release: () => engine.dispose(),
    beside: async () => createEngineBed(options),
  };
}

function forced(granted: ContextGrant, { contextTokens, conversations }: CardWish): ContextGrant {
  const sequences = conversations ?? granted.sequences;
  return {
    ...granted,
    grantedTokens: contextTokens,
    sequences,
    gpuLayers: allLayers,
    predictedBytes: null,
    placement: null,
  };
}

function providerOf(
  { folder, gpu = 'auto' }: EngineBedOptions,
  llama: LlamaEngine,
  { file, wish, grant }: { readonly file: CardFile; readonly wish: CardWish; readonly grant: GrantContext },
): Provider {
  return createLlamaCppProvider(
    {
      cacheDir: folder,
      now: () => performance.now(),
      modelFile: async () => ({ path: file.path, contextTokens: null, parametersB: null, label: file.name }),
      localModels: async () => [],
      llama,
      grantContext: grant,
    },
    { id: 'llama-cpp', settings: { gpu, contextTokens: wish.contextTokens } },
  );
}

async function answer(engine: LlamaEngine, provider: Provider, ask: CardQuestion): Promise<CardAnswer> {
  const stop = new AbortController();
  let endedAt: number | null = null;
  const asked = plainRequest([textMessage('user', promptOf(ask.promptTokens))], {
    maxOutputTokens: ask.outputTokens,
    temperature: 1,
    cacheKey: `card ${Math.random()}`,
  });
  for await (const part of provider.stream(asked, stop.signal)) {
    if (part.type === 'text-delta' && ask.end !== undefined && endedAt === null) {
      endedAt = performance.now();
      if (ask.end === 'abort') stop.abort();
      else process.kill(engine.pid() ?? 0, 'SIGKILL');
    }
    if (part.type === 'ended') return answered(part, endedAt === null ? null : performance.now() - endedAt);
  }
  throw new Error('The stream has no end.');
}

function answered({ error, engine, timings }: StreamEnded, endedAfterMs: number | null): CardAnswer {
  const { counted } = timings;
  const perSecond = (tokens: number, ms: number): number | null =>
    tokens === 0 || ms === 0 ? null : Math.round((tokens / ms) * 10_000) / 10;
  return {
    error: error === null ? null : { code: error.code, message: withoutPaths(error.message) },
    backend: engine?.backend ?? null,
    contextTokens: engine?.contextTokens ?? null,
    observedBytes: engine?.observedBytes ?? null,
    findings: engine?.findings ?? [],
    readPerSecond: counted === undefined ? null : perSecond(counted.readTokens, counted.readMs),
    writtenPerSecond: counted === undefined ? null : perSecond(counted.writtenTokens, counted.writtenMs),
    endedAfterMs: endedAfterMs === null ? null : Math.round(endedAfterMs),
  };
}

/** A report is sent to others, so it has the names of files but not their folders. */
function withoutPaths(text: string): string {
  return text.replaceAll(/(?:[A-Za-z]:)?[\\/][^\s"':]+/gu, (path) => basename(path.replaceAll('\\', '/')));
}

/** Returns about so many tokens, different each time, so that the prompt cache never helps. */
function promptOf(tokens: number): string {
  const lines = Array.from(
    { length: Math.ceil(tokens / 12) },
    () => `item ${Math.floor(Math.random() * 1e6)}: weight of the crate`,
  );
  return `${lines.join('\n')}\nGo on with this list.`;
}
