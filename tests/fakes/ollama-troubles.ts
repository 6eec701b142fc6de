import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { randomUUID } from 'node:crypto';
import { ollamaSchema } from '@shared/settings/settings.ts';
import type { OllamaSettings } from '@shared/settings/settings.ts';
import { createServerMemoryPlanner } from '../../src/main/models/memory/server-memory-planner.ts';
import type { Hardware } from '../../src/main/models/machine/hardware.ts';
import type { ModelRequest, Provider, StreamEnded, StreamPart } from '../../src/main/models/providers/define.ts';
import { createOllamaProvider } from '../../src/main/models/providers/ollama/create-ollama-provider.ts';
import type { FakeOllama, OllamaHabits } from './ollama-server.ts';
import { startFakeOllama } from './ollama-server.ts';
import { collect, providerDependencies, request } from './provider-kit.ts';

const gibi = 1024 ** 3;

/** A machine with one card of 8 GiB, and one without. */
export const machines: Readonly<Record<'card' | 'processor', Hardware>> = {
  card: {
    host: { totalBytes: 32 * gibi, freeBytes: 24 * gibi, source: 'a test' },
    devices: [
      {
        name: 'card',
        totalBytes: 8 * gibi,
        freeBytes: 8 * gibi,
        driverBytes: 0,
        isUnified: false,
        source: 'simulated',
        confidence: 'high',
        note: null,
      },
    ],
  },
  processor: { host: { totalBytes: 32 * gibi, freeBytes: 24 * gibi, source: 'a test' }, devices: [] },
};

/** A provider for a fake server, with the product's planner and with limits that are short enough for a test. */
export function ollamaProvider(
  address: string,
  options: {
    readonly machine?: Hardware;
    readonly settings?: Partial<OllamaSettings>;
    readonly cacheDir?: string;
    /**
     * The limit for everything that may take the server long. A busy machine must not look like a server that hangs.
     */
    readonly limitMs?: number;
  } = {},
): Provider {
  const { limitMs = 20_000 } = options;
  const serverMemoryPlanner = createServerMemoryPlanner({
    readHardware: async () => options.machine ?? machines.processor,
    readHeader: async () => ({ ok: false, error: { code: 'not-found', message: 'no file here' } }),
  });
  return createOllamaProvider(
    providerDependencies({
      serverMemoryPlanner,
      cacheDir: options.cacheDir ?? join(tmpdir(), `dewpoint-ollama-${randomUUID()}`),
    }),
    { id: 'ollama', settings: ollamaSchema.parse({ kind: 'ollama', baseUrl: address, ...options.settings }) },
    { askMs: limitMs, loadMs: limitMs, stallMs: limitMs },
  );
}

export const endOf = (parts: readonly StreamPart[]): StreamEnded => {
  const last = parts.at(-1);
  if (last?.type !== 'ended') throw new Error('the stream has no end');
  return last;
};

const longPrompt = Array.from({ length: 500 }, (_, index) => `Line ${index} of a file that is quite long.`).join('\n');

/**
 * Something that a server does wrong, and how it must be reported: as a finding of the load, or by how the call ends.
 */
export interface OllamaTrouble {
  readonly name: string;
  readonly habits: Partial<OllamaHabits>;
  readonly machine?: Hardware;
  readonly request?: Partial<ModelRequest>;
  readonly finding?: string;
  readonly error?: { readonly code: string; readonly words: RegExp };
}

const long: Partial<ModelRequest> = { messages: request('m', longPrompt).messages };
const steps = { tags: '/api/tags', show: '/api/show', ps: '/api/ps', load: 'load', answer: 'answer' };

export const ollamaTroubles: readonly OllamaTrouble[] = [
  {
    name: 'drops the beginning of a prompt and says nothing',
    habits: { truncates: true, madeTokens: 2048, tellsMade: false },
    request: long,
    error: { code: 'context-full', words: /^Truncated: The server read 2048 tokens/ },
  },
  {
    name: 'forgets the oldest while it writes, in a smaller context than it claims',
    habits: { shifts: true },
    error: { code: 'context-full', words: /^Prompt and answer have/ },
  },
  {
    name: 'refuses what is too long although it claimed the room',
    habits: { madeTokens: 2048, tellsMade: false },
    request: long,
    error: { code: 'context-full', words: /exceeds the context length/ },
  },
  { name: 'makes less context than it was asked for', habits: { madeTokens: 4096 }, finding: 'context-clamped' },
  {
    name: 'puts a part on the processor that was planned for the card',
    habits: { onCard: 0.6, spillsAbove: 0 },
    machine: machines.card,
    finding: 'spilled',
  },
  {
    name: 'puts a part on the processor until it is asked for less',
    habits: { onCard: 0.9, spillsAbove: 20_000 },
    machine: machines.card,
    finding: 'spilled',
  },
  {
    name: 'has memory for less context than was granted',
    habits: { loadsUpTo: 20_000, onCard: 1 },
    machine: machines.card,
    finding: 'context-reduced',
  },
  { name: 'leaves the arrays of the header out', habits: { nullArrays: true }, finding: 'header-incomplete' },
  { name: 'never lists what it loaded', habits: { hidesLoaded: true }, finding: 'not-loaded' },
  {
    name: 'loads another file than it lists',
    habits: { loadedDigest: 'b'.repeat(64) },
    error: { code: 'bad-model', words: /lists m:latest with the digest aaaaaaaaaaaa but loaded bbbbbbbbbbbb/ },
  },
  { name: 'has no template for the model', habits: { template: '{{ .Prompt }}' }, finding: 'template-missing' },
  { name: 'has a template without tools', habits: { capabilities: ['completion'] }, finding: 'tools-missing' },
  { name: 'is too old to refuse a long prompt', habits: { version: '0.9.6' }, finding: 'old-server' },
  {
    name: 'says an error inside a 200',
    habits: { errorInside: 'llama runner process has terminated: signal: killed' },
    error: { code: 'engine-lost', words: /runner process has terminated/ },
  },
  {
    name: 'has no memory for the model',
    habits: { loadError: 'model requires more system memory (9.1 GiB) than is available (4.0 GiB)' },
    error: { code: 'out-of-memory', words: /9\.1 GiB.*contextTokens/ },
  },
  {
    name: 'does not have the model',
    habits: {},
    request: { model: 'other' },
    error: { code: 'missing-model', words: /ollama pull other/ },
  },
  ...Object.entries({ version: '/api/version', ...steps }).map(([name, step]) => ({
    name: `hangs at ${name}`,
    habits: { hangs: [step] },
    error: { code: 'stalled', words: /./ },
  })),
  ...Object.entries(steps).map(([name, step]) => ({
    name: `gives half of ${name}`,
    habits: { half: [step] },
    error: { code: 'cut', words: /./ },
  })),
];

/** Null if the trouble was caught and named, otherwise what was reported instead. */
export async function meetTrouble(trouble: OllamaTrouble): Promise<string | null> {
  const server: FakeOllama = await startFakeOllama(trouble.habits);
  const provider = ollamaProvider(server.address, {
    ...(trouble.machine === undefined ? {} : { machine: trouble.machine }),
    ...(trouble.habits.hangs === undefined ? {} : { limitMs: 100 }),
  });
  try {
    const asked = { ...request('m'), ...trouble.request };
    const { error, engine } = endOf(await collect(provider.stream(asked, new AbortController().signal)));
    const said = JSON.stringify({ error, findings: engine?.findings, why: engine?.why });
    if (trouble.error !== undefined)
      return error?.code === trouble.error.code && trouble.error.words.test(error.message) ? null : said;
    return error === null && engine?.findings?.includes(trouble.finding ?? '') === true ? null : said;
  } finally {
    await provider.dispose();
    await server.close();
  }
}
