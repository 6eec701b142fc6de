import { existsSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { mkdtemp } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { build } from 'vite';
import type { ContextGrants } from '../../src/main/models/memory/grant-context.ts';
import { createLlamaEngine } from '../../src/main/models/engine/llama-engine.ts';
import type { LlamaEngine } from '../../src/main/models/engine/llama-engine.ts';
import type { LoadOptions } from '../../src/main/models/engine/worker/worker-protocol.ts';
import { createLlamaCppProvider } from '../../src/main/models/providers/llama-cpp/create-llama-cpp-provider.ts';
import type { ModelStore } from '../../src/main/models/files/model-store.ts';
import type { ModelRequest, Provider, StreamEnded, StreamPart } from '../../src/main/models/providers/define.ts';
import { testPrograms } from '../fakes/test-programs.ts';

/** Builds the worker as the app does, beside the checkout's packages so that it finds its engine. */
export async function builtWorker(): Promise<string> {
  const outDir = resolve('node_modules/.cache/dewpoint-worker');
  await build({
    configFile: false,
    logLevel: 'error',
    resolve: { alias: { '@shared': resolve('src/shared') } },
    ssr: { noExternal: true, external: ['node-llama-cpp'] },
    build: {
      ssr: resolve('src/main/models/engine/worker/worker.ts'),
      outDir,
      emptyOutDir: false,
      target: 'node24',
      rollupOptions: { external: ['node-llama-cpp'], output: { format: 'cjs', entryFileNames: 'llama-worker.cjs' } },
    },
  });
  return join(outDir, 'llama-worker.cjs');
}

/** Node 24, which the engine's process needs. */
export const nodePath = existsSync(resolve('node_modules/.bin/node'))
  ? resolve('node_modules/.bin/node')
  : process.execPath;

export function cacheDir(): string {
  return process.env.DEWPOINT_CACHE ?? join(process.env.XDG_CACHE_HOME ?? join(homedir(), '.cache'), 'dewpoint');
}

export function modelPath(name: string): string {
  return join(cacheDir(), 'models', `${name}.gguf`);
}

export async function scratchDir(): Promise<string> {
  return mkdtemp(join(tmpdir(), 'dewpoint-engine-'));
}

export const clock = (): number => performance.now();

export async function startEngine(
  options: { readonly hangMs?: number; readonly abortGraceMs?: number } = {},
): Promise<LlamaEngine> {
  // A busy machine is slow, not hung. The app treats 15 seconds without a sign as hung.
  return createLlamaEngine({
    nodePath,
    workerPath: await builtWorker(),
    programs: testPrograms(),
    now: clock,
    hangMs: 90_000,
    ...options,
  });
}

export function loadOptions(name: string, options: Partial<LoadOptions> = {}): LoadOptions {
  return {
    modelPath: modelPath(name),
    contextTokens: 2048,
    sequences: 2,
    threads: null,
    gpu: 'off',
    gpuLayers: null,
    cacheType: 'f16',
    stateDir: null,
    ...options,
  };
}

export async function createTestProvider(
  engine: LlamaEngine,
  options: {
    readonly contextTokens?: number;
    readonly cacheDir?: string;
    readonly threads?: number;
    /** Default: off. */
    readonly gpu?: 'auto' | 'off';
    readonly plans?: Pick<ContextGrants, 'grant' | 'stepDown'>;
    /** Default: the files of the cache. */
    readonly store?: Pick<ModelStore, 'find'>;
  } = {},
): Promise<Provider> {
  return createLlamaCppProvider(
    {
      cacheDir: options.cacheDir ?? (await scratchDir()),
      now: clock,
      modelFile: async (name) => {
        if (options.store === undefined) return modelFileOfCache(name);
        const model = await options.store.find(name);
        return model === null || model.path === null ? null : { ...model, path: model.path };
      },
      localModels: () => Promise.resolve([]),
      llama: engine,
      ...(options.plans === undefined ? {} : { grantContext: options.plans.grant, stepDown: options.plans.stepDown }),
    },
    {
      id: 'llama-cpp',
      settings: {
        gpu: options.gpu ?? 'off',
        contextTokens: options.contextTokens ?? 2048,
        threads: options.threads,
      },
    },
  );
}

/** Returns a file by its name in the cache, or by its whole path. */
function modelFileOfCache(name: string) {
  const path = name.startsWith('/') ? name : modelPath(name);
  if (!name.startsWith('/') && !existsSync(path)) return null;
  return { path, contextTokens: null, parametersB: null, label: name };
}

export function modelRequest(model: string, text: string, changes: Partial<ModelRequest> = {}): ModelRequest {
  return {
    model,
    messages: [
      { role: 'system', parts: [{ type: 'text', text: 'You are a careful programmer.' }] },
      { role: 'user', parts: [{ type: 'text', text }] },
    ],
    tools: [],
    output: { type: 'text' },
    prefill: null,
    stop: [],
    temperature: 0,
    topP: 0.95,
    seed: 1,
    maxOutputTokens: 64,
    cacheKey: 'test',
    ...changes,
  };
}

export interface Answer {
  readonly parts: readonly StreamPart[];
  readonly text: string;
  readonly ended: StreamEnded;
}

/**
 * Repeats something that must act in the middle of other work until it is in time. `attempt` returns null if that work
 * was over first, on a very fast machine or when this process had to wait. It fails if no attempt is in time.
 */
export async function inTime<T>(attempt: (tries: number) => Promise<T | null>): Promise<T> {
  for (let tries = 0; tries < 5; tries += 1) {
    const done = await attempt(tries);
    if (done !== null) return done;
  }
  throw new Error('What was to be interrupted was over before, each time.');
}

export async function collect(stream: AsyncIterable<StreamPart>): Promise<Answer> {
  const parts: StreamPart[] = [];
  for await (const part of stream) parts.push(part);
  const last = parts.at(-1);
  if (last?.type !== 'ended') throw new Error('the stream has no end');
  return { parts, text: parts.map((part) => (part.type === 'text-delta' ? part.text : '')).join(''), ended: last };
}
