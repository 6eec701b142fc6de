import type { ClientCore } from '../tests/fakes/core-client.ts';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { success } from '@shared/errors.ts';
import { runOptionsSchema } from '@shared/session/run-options.ts';
import { openClientCore } from '../tests/fakes/core-client.ts';
import { createMemorySandbox } from '../tests/fakes/sandbox/memory-sandbox.ts';
import type { BenchRow } from './lib/rows.ts';
import { median, percentile } from './lib/statistics.ts';

const steps = 500;
/** The first steps load what is loaded only once. */
const warmUp = 50;

/**
 * Measures what the agent itself adds to a step: a model that answers at once and a sandbox in memory, but the real log
 * with its syncs. Every step calls a tool; now and then one edits, runs a command, or prints much.
 */
export async function run(): Promise<readonly BenchRow[]> {
  const home = await mkdtemp(join(tmpdir(), 'dewpoint-bench-overhead-'));
  const calls = { each: (): void => undefined };
  const core = await openCore(home, () => calls.each());
  try {
    await core.client.settings.set({ key: 'providers.script', value: { kind: 'scripted', replies: replies() } });
    const before = process.cpuUsage();
    const { durations, memory } = await measure(core, calls);
    const spent = process.cpuUsage(before);
    const late = durations.slice(warmUp).sort((left, right) => left - right);
    const note = `steps ${warmUp + 1} to ${steps} of one session, the log on this disk`;
    const growth = ((memory.at(-1)?.residentBytes ?? 0) - (memory[0]?.residentBytes ?? 0)) / 1e6;
    return [
      { figure: 'engine overhead per step, median', value: median(late), unit: 'ms', target: { atMost: 5 }, note },
      {
        figure: 'engine overhead per step, p99',
        value: percentile(late, 0.99),
        unit: 'ms',
        target: { atMost: 20 },
        note,
      },
      {
        figure: 'processor time per step, mean',
        value: (spent.user + spent.system) / 1000 / steps,
        unit: 'ms',
        target: null,
        note: 'hardly depends on what else runs on the machine',
      },
      {
        figure: 'growth of the process after the first 50 steps',
        value: growth,
        unit: 'MB',
        target: { atMost: 30 },
        note: `resident, a second after the last step, ${steps} steps`,
      },
      {
        figure: 'of it objects that are in use',
        value: ((memory.at(-1)?.heapBytes ?? 0) - (memory[0]?.heapBytes ?? 0)) / 1e6,
        unit: 'MB',
        target: null,
        note: 'the rest is room that the collector has not given back yet',
      },
    ];
  } finally {
    await core.dispose();
    await rm(home, { recursive: true, force: true });
  }
}

/** `onCall` is called before each model call. */
function openCore(home: string, onCall: () => void): Promise<ClientCore> {
  const files = Object.fromEntries(
    Array.from({ length: 200 }, (_, index) => [`src/file${index}.py`, `value = ${index}\n`.repeat(100)]),
  );
  return openClientCore({
    home,
    cache: join(home, 'cache'),
    version: '0.0.0-bench',
    onNotice: () => undefined,
    wrapProvider: (provider) => ({
      ...provider,
      stream: (request, signal) => {
        onCall();
        return provider.stream(request, signal);
      },
    }),
    startSandbox: async () =>
      success(createMemorySandbox({ files, exec: () => ({ stdout: 'line of output\n'.repeat(2000) }) })),
  });
}

function replies(): readonly object[] {
  return Array.from({ length: steps + 60 }, (_, index) => {
    const file = `src/file${index % 200}.py`;
    if (index % 10 === 3) return reply('run_command', { command: `make step${index}` });
    if (index % 10 === 7) return reply('write_file', { path: `out/${index}.txt`, content: `result ${index}\n` });
    return reply('read_file', { path: file, from: (index % 90) + 1, to: (index % 90) + 9 });
  });
}

function reply(name: string, input: object): object {
  return { text: 'Next.', toolCalls: [{ name, input }] };
}

async function measure(
  core: ClientCore,
  calls: { each: () => void },
): Promise<{ readonly durations: number[]; readonly memory: readonly Memory[] }> {
  const collect = collector();
  const { sessionId: id } = await core.client.sessions.create({ projectPath: null });
  const durations: number[] = [];
  const memory: Memory[] = [];
  let lastAt: number | null = null;
  calls.each = () => {
    const now = performance.now();
    if (lastAt !== null) durations.push(now - lastAt);
    if (durations.length === warmUp) memory.push(collect());
    lastAt = performance.now();
  };
  const options = runOptionsSchema.parse({
    local: 'script/script',
    strategy: 'loop',
    maxSteps: steps,
    maxTokens: 1_000_000_000,
    maxMinutes: 30,
  });
  await core.client.sessions.send({ sessionId: id, text: 'Do the work.', options });
  await core.client.sessions.result({ sessionId: id });
  // Only several collections in a row give memory back, as in an idle process.
  collect();
  await wait(1_000);
  memory.push(collect());
  return { durations, memory };
}

interface Memory {
  readonly residentBytes: number;
  readonly heapBytes: number;
}

/** Returns a function that collects garbage and says how much memory is resident, and how much of the heap is used. */
function collector(): () => Memory {
  setFlagsFromString('--expose-gc');
  const collect: unknown = runInNewContext('gc');
  return () => {
    if (typeof collect === 'function') collect();
    const { rss, heapUsed } = process.memoryUsage();
    return { residentBytes: rss, heapBytes: heapUsed };
  };
}
