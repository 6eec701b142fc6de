import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import type { ConnectedToolSpec } from '../../src/main/tools/connected/connected-tool-spec.ts';
import type { ModelInfo } from '@shared/models/model-info.ts';
import { isRecord } from '@shared/unknown-value.ts';
import { createLlamaEngine } from '../../src/main/models/engine/llama-engine.ts';
import type { Provider } from '../../src/main/models/providers/define.ts';
import type { ConnectedTools } from '../../src/main/tools/connected/connected-tool.ts';
import { createAgentKit, loopModel, turnOptions } from '../../tests/fakes/agent-kit.ts';
import { testPrograms } from '../../tests/fakes/test-programs.ts';
import { localProvider } from './local-provider.ts';
import type { BenchRow } from './rows.ts';

/** A request of the data set with its tools, and the right call with its right values. */
export interface AskedCall {
  readonly query: string;
  readonly right: string;
  /** The accepted values of each argument. If an empty text is among them, the argument may be left out. */
  readonly values: Readonly<Record<string, unknown>>;
  readonly tools: readonly ConnectedToolSpec[];
}

export interface Callers {
  /** Names of files in the model folder, without their extension. */
  readonly models: readonly string[];
  readonly folder: string;
  readonly count: number;
  /**
   * The position of the chosen request within each interval of the sample. The published figure uses 0. Changes are
   * tried on other offsets.
   */
  readonly offset: number;
}

/** The most time for a request. A request that takes longer is a miss. */
const mostMs = 240_000;
const mostSteps = 4;

interface Tried {
  readonly tool: boolean;
  readonly values: boolean;
  readonly isLate: boolean;
  /** The first tool that the model called. Null: none. */
  readonly first: string | null;
}

/**
 * Whether small models call the right tool in the real loop. Each request is a session of its own. It has the tools
 * that the data gives for it (a few, described in full) or all tools of the pool (found on demand). Only the first call
 * of a connected tool counts.
 */
export async function callerRows(
  { models, folder, count, offset }: Callers,
  asked: readonly AskedCall[],
  pool: readonly ConnectedToolSpec[],
): Promise<readonly BenchRow[]> {
  const names = new Set(pool.map(({ tool }) => tool));
  const fit = asked.filter(({ right }) => names.has(right));
  const every = Math.max(1, Math.floor(fit.length / count));
  const sample = fit.filter((_, at) => at % every === offset % every).slice(0, count);
  const rows: BenchRow[] = [];
  for (const model of models) {
    const modelPath = join(folder, `${model}.gguf`);
    const figure = (what: string): string => `right tool and values, called by ${model}, ${what}`;
    const own = 'the tools of the request';
    const all = `${pool.length} tools found on demand`;
    if (!existsSync(modelPath)) {
      const note = `${model} is not there: npm start -- models pull llama-cpp/${model}`;
      rows.push({ figure: figure(own), value: null, unit: '%', target: null, note });
      continue;
    }
    await withModel(modelPath, async (provider) => {
      const parametersB = Number(/(\d+(?:\.\d+)?)b/u.exec(model)?.[1] ?? 1);
      for (const [what, tools] of [
        [own, null],
        [all, pool],
      ] as const) {
        const tried: Tried[] = [];
        // Finding a tool takes two steps and a longer prompt, so fewer requests are tried.
        const some = tools === null ? sample : sample.filter((_, at) => at % 4 === 0);
        for (const one of some) tried.push(await tryOne(provider, parametersB, { ...one, tools: tools ?? one.tools }));
        rows.push(rowOf(figure(what), tried));
      }
    });
  }
  return rows;
}

function rowOf(figure: string, tried: readonly Tried[]): BenchRow {
  const count = (fits: (one: Tried) => boolean): number => tried.filter(fits).length;
  const both = count(({ tool, values }) => tool && values);
  const late = count(({ isLate }) => isLate);
  return {
    figure,
    value: (100 * both) / tried.length,
    unit: '%',
    target: null,
    note: `${both} of ${tried.length}; the right tool in ${count(({ tool }) => tool)}; ${late} took more than ${mostMs / 1000} s; first call: ${firstCalls(tried)}`,
  };
}

function firstCalls(tried: readonly Tried[]): string {
  const counts = new Map<string, number>();
  for (const { first } of tried) {
    const name = first?.startsWith('bench__') === true ? 'a connected tool' : (first ?? 'none');
    counts.set(name, (counts.get(name) ?? 0) + 1);
  }
  return [...counts].map(([name, times]) => `${name} ${times}`).join(', ');
}

export async function withModel(modelPath: string, use: (provider: Provider) => Promise<void>): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'dewpoint-bench-callers-'));
  const workerPath = resolve('out/main/llama-worker.cjs');
  const now = (): number => performance.now();
  const llama = createLlamaEngine({ nodePath: process.execPath, workerPath, programs: testPrograms(), now });
  try {
    await use(localProvider(llama, { folder, modelPath, contextTokens: 16_384, threads: null }));
  } finally {
    await llama.dispose();
    await rm(folder, { recursive: true, force: true });
  }
}

/** A session of a small model that has only these tools and may call all of them. */
export function callerKit(
  provider: Provider,
  connected: ConnectedTools,
  model: Partial<ModelInfo> & Pick<ModelInfo, 'parametersB'>,
): ReturnType<typeof createAgentKit> {
  const capabilities = { tools: false, grammar: true, prefill: true, infill: false, countTokens: true };
  return createAgentKit({
    model: { ...loopModel, capabilities, ...model },
    sandbox: { files: {} },
    dependencies: {
      tools: { connected },
      models: { provider: () => provider },
      approver: { ask: async () => 'allow' },
    },
  });
}

async function tryOne(provider: Provider, parametersB: number, asked: AskedCall): Promise<Tried> {
  const called: { readonly tool: string; readonly input: unknown }[] = [];
  const connected: ConnectedTools = {
    offered: async () => asked.tools.map(withJsonSchema),
    call: async ({ tool }, input) => {
      called.push({ tool, input });
      kit.runner.cancel();
      return { status: 'ok', output: 'Done.' };
    },
  };
  const kit = callerKit(provider, connected, { parametersB });
  let isLate = false;
  const late = setTimeout(() => {
    isLate = true;
    kit.runner.cancel();
  }, mostMs);
  await kit.runner.send(asked.query, {
    ...turnOptions,
    strategy: 'loop',
    mode: 'work',
    approve: 'allow',
    maxSteps: mostSteps,
  });
  clearTimeout(late);
  const [first] = called;
  const tool = first?.tool === asked.right;
  const parts = kit.journal.events.flatMap((event) => (event.type === 'model-call-ended' ? event.parts : []));
  const made = parts.find((part) => part.type === 'tool-call');
  return { tool, values: tool && areRight(first?.input, asked.values), isLate, first: made?.name ?? null };
}

/** The data uses type names of Python. */
const types: Readonly<Record<string, string>> = { dict: 'object', float: 'number', tuple: 'array' };

export function withJsonSchema(spec: ConnectedToolSpec): ConnectedToolSpec {
  return { ...spec, inputSchema: asRecord(jsonSchemaOf(spec.inputSchema)) };
}

function asRecord(value: unknown): Readonly<Record<string, unknown>> {
  return isRecord(value) ? value : {};
}

function jsonSchemaOf(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(jsonSchemaOf);
  if (!isRecord(value)) return value;
  return Object.fromEntries(
    Object.entries(value).flatMap(([key, one]) => {
      if (key === 'optional') return [];
      if (key !== 'type' || typeof one !== 'string') return [[key, jsonSchemaOf(one)] as const];
      return one === 'any' ? [] : [[key, types[one] ?? one] as const];
    }),
  );
}

/** How the data itself judges: each argument has one of its accepted values, and there are no other arguments. */
export function areRight(input: unknown, values: Readonly<Record<string, unknown>>): boolean {
  if (!isRecord(input)) return false;
  const isFit = ([name, allowed]: readonly [string, unknown]): boolean => {
    const all: readonly unknown[] = Array.isArray(allowed) ? allowed : [allowed];
    return input[name] === undefined ? all.includes('') : all.some((one) => fits(input[name], one));
  };
  return Object.keys(input).every((name) => Object.hasOwn(values, name)) && Object.entries(values).every(isFit);
}

function fits(given: unknown, right: unknown): boolean {
  if (typeof given === 'string' && typeof right === 'string') return plain(given) === plain(right);
  if (Array.isArray(given) && Array.isArray(right))
    return given.length === right.length && given.every((one, at) => fits(one, right[at]));
  if (isRecord(given) && isRecord(right)) return areRight(given, right);
  return given === right;
}

function plain(text: string): string {
  return text.toLowerCase().replaceAll(/[\s,./_*^'-]/gu, '');
}
